package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.CommitRefusedException;
import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.internal.guard.TransactionGuard;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import dev.onceward.dedupe.internal.hygiene.InboxHygiene;
import dev.onceward.dedupe.internal.hygiene.Inspection;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** One attempt at one effect: claim, effect and commit in one transaction. Thread-safe. */
final class EffectTransaction {
  private final DataSource dataSource;
  private final Dialect dialect;
  private final Diagnosis diagnosis;
  private final InboxHygiene hygiene;

  EffectTransaction(
      DataSource dataSource, Dialect dialect, Diagnosis diagnosis, InboxHygiene hygiene) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.diagnosis = diagnosis;
    this.hygiene = hygiene;
  }

  InboxOutcome attempt(Claim claim, Effect effect) throws Exception {
    Interruption.check(null);
    try (BorrowedConnection borrowed = BorrowedConnection.open(dataSource, dialect, diagnosis)) {
      try {
        Verdict verdict = claim(borrowed, claim);
        if (verdict == Verdict.FRESH) {
          apply(borrowed, claim, effect);
          return InboxOutcome.APPLIED;
        }
        borrowed.rollbackUnused();
        return verdict == Verdict.DUPLICATE ? InboxOutcome.DUPLICATE : InboxOutcome.STALE;
      } catch (Throwable t) {
        borrowed.rollbackAfter(t);
        throw t;
      }
    }
  }

  private Verdict claim(BorrowedConnection borrowed, Claim claim) throws InterruptedException {
    Connection connection = borrowed.connection();
    try {
      borrowed.inspect(hygiene);
      Verdict verdict = dialect.claim(connection, claim);
      if (verdict == Verdict.UNKNOWN_HANDLER) {
        connection.rollback();
        dialect.registerHandler(connection, claim.handlerId());
        connection.commit();
        verdict = dialect.claim(connection, claim);
        if (verdict == Verdict.UNKNOWN_HANDLER) {
          throw diagnosis.handlerNotRegistered(claim);
        }
      }
      if (verdict == Verdict.FRESH) {
        borrowed.probe().begun();
        Inspection inspection = borrowed.inspection();
        if (inspection != null) {
          inspection.handlerStarts(claim.handlerId(), claim.describe());
        }
      }
      return verdict;
    } catch (SQLException e) {
      Interruption.check(e);
      throw diagnosis.claimFailed(claim, e);
    }
  }

  private void apply(BorrowedConnection borrowed, Claim claim, Effect effect) throws Exception {
    Inspection inspection = borrowed.inspection();
    TransactionGuard guard =
        TransactionGuard.over(
            borrowed.connection(),
            borrowed.probe(),
            inspection == null ? sql -> {} : inspection::sees);
    try {
      effect.apply(guard.connection());
    } finally {
      guard.end();
    }
    Interruption.check(null);
    try {
      requireOpen(borrowed.probe(), guard, claim);
      if (inspection != null) {
        inspection.beforeCommit();
      }
      borrowed.connection().commit();
    } catch (SQLException e) {
      if (SqlStates.isInfrastructure(e) || borrowed.connection().isClosed()) {
        throw diagnosis.commitLost(claim, e);
      }
      throw e;
    }
  }

  /** A commit of a failed transaction rolls back and reports success (pgjdbc issue 1697). */
  private static void requireOpen(TransactionProbe probe, TransactionGuard guard, Claim claim)
      throws SQLException {
    String refused = guard.refusedEnding();
    if (refused != null) {
      throw new CommitRefusedException(
          "rolled back "
              + claim.describe()
              + ": the handler called "
              + refused
              + " and swallowed the refusal; return to commit, throw to roll back",
          null);
    }
    SQLException first = guard.firstError();
    switch (probe.check()) {
      case OPEN -> {}
      case FAILED ->
          throw new CommitRefusedException(
              "rolled back "
                  + claim.describe()
                  + ": a statement failed and the handler swallowed the error: "
                  + (first == null ? "not observed" : Diagnosis.oneLine(first))
                  + "; let it out, or guard the statement with a savepoint",
              first);
      case IDLE ->
          throw new CommitRefusedException(
              "cannot commit "
                  + claim.describe()
                  + ": its transaction was ended under the handler, by COMMIT or ROLLBACK past the"
                  + " guarded connection; return to commit, throw to roll back",
              first);
    }
  }
}
