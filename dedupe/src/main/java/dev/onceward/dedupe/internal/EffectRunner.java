package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.Inbox.BatchEffect;
import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.UnboundSettingException;
import dev.onceward.dedupe.internal.hygiene.InboxHygiene;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs effects to their outcomes, in as many attempts as a transaction needs. Thread-safe. */
public final class EffectRunner {
  private final InboxConfig config;
  private final EffectTransaction transaction;
  private final TransactionRetry retry;

  public EffectRunner(
      InboxConfig config, Dialect dialect, Diagnosis diagnosis, InboxHygiene hygiene) {
    this.config = config;
    this.transaction = new EffectTransaction(config, dialect, diagnosis, hygiene);
    this.retry = new TransactionRetry(config.retry(), dialect);
  }

  public InboxOutcome run(InboxEntry entry, Effect effect) throws Exception {
    checkSettings(entry);
    Batch batch = Batch.of(List.of(Claim.of(entry, config.buckets())), entry.settings());
    return run(batch, (tx, fresh) -> effect.apply(tx)).get(0);
  }

  public List<InboxOutcome> run(List<InboxEntry> entries, BatchEffect effect) throws Exception {
    if (entries.isEmpty()) {
      return List.of();
    }
    Map<String, String> settings = entries.get(0).settings();
    List<Claim> claims = new ArrayList<>(entries.size());
    for (InboxEntry entry : entries) {
      if (!entry.settings().equals(settings)) {
        throw new IllegalArgumentException(
            "the entries of a batch must have equal settings: those of "
                + Claim.of(entry, config.buckets()).describe()
                + " differ from the first entry's; make a batch for each tenant");
      }
      claims.add(Claim.of(entry, config.buckets()));
    }
    checkSettings(entries.get(0));
    return run(Batch.of(claims, settings), effect);
  }

  /** How many connections were found with a bound setting that had a value before. */
  public long leaks() {
    return transaction.leaks();
  }

  private List<InboxOutcome> run(Batch batch, BatchEffect effect) throws Exception {
    return retry.run(batch::describe, () -> transaction.attempt(batch, effect));
  }

  private void checkSettings(InboxEntry entry) {
    for (String name : entry.settings().keySet()) {
      if (!config.boundSettings().contains(name)) {
        throw new UnboundSettingException(name);
      }
    }
  }
}
