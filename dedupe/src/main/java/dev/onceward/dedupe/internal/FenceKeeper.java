package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.Fence;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxUnavailableException;
import java.sql.SQLException;

/** Takes fences, each in a short transaction of its own. Thread-safe. */
public final class FenceKeeper {
  private final InboxConfig config;
  private final Dialect dialect;
  private final Diagnosis diagnosis;
  private final TransactionRetry retry;

  public FenceKeeper(InboxConfig config, Dialect dialect, Diagnosis diagnosis) {
    this.config = config;
    this.dialect = dialect;
    this.diagnosis = diagnosis;
    this.retry = new TransactionRetry(config.retry(), dialect);
  }

  public Fence take(FenceScope scope) {
    try {
      return retry.run(() -> "the fence of " + scope, () -> attempt(scope));
    } catch (InboxUnavailableException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw diagnosis.interrupted("take the fence of " + scope, e);
    } catch (Exception e) {
      throw new IllegalStateException("cannot take the fence of " + scope, e);
    }
  }

  private Fence attempt(FenceScope scope) throws InterruptedException {
    Interruption.check(null);
    try (BorrowedConnection borrowed =
        BorrowedConnection.open(config.dataSource(), dialect, diagnosis)) {
      try {
        FenceState state = dialect.takeFence(borrowed.connection(), scope);
        borrowed.connection().commit();
        return new Fence(scope, state.epoch(), state.nextOffset());
      } catch (SQLException | RuntimeException e) {
        borrowed.rollbackAfter(e);
        throw e;
      }
    } catch (SQLException e) {
      Interruption.check(e);
      throw diagnosis.failed("take the fence of " + scope, e);
    }
  }
}
