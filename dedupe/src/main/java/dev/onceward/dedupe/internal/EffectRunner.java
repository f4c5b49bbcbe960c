package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.internal.hygiene.InboxHygiene;

/** Runs an effect to its outcome, in as many attempts as its transaction needs. Thread-safe. */
public final class EffectRunner {
  private final EffectTransaction transaction;
  private final TransactionRetry retry;

  public EffectRunner(
      InboxConfig config, Dialect dialect, Diagnosis diagnosis, InboxHygiene hygiene) {
    this.transaction = new EffectTransaction(config.dataSource(), dialect, diagnosis, hygiene);
    this.retry = new TransactionRetry(config.retry());
  }

  public InboxOutcome run(InboxEntry entry, Effect effect) throws Exception {
    Claim claim = Claim.of(entry);
    return retry.run(claim, () -> transaction.attempt(claim, effect));
  }
}
