package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.CommitRefusedException;
import dev.onceward.dedupe.Inbox.BatchEffect;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.internal.guard.TransactionGuard;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import dev.onceward.dedupe.internal.hygiene.InboxHygiene;
import dev.onceward.dedupe.internal.hygiene.Inspection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** One attempt at a batch of effects: claim, effects and commit in one transaction. Thread-safe. */
final class EffectTransaction {
  private final InboxConfig config;
  private final Dialect dialect;
  private final Diagnosis diagnosis;
  private final Fences fences;
  private final InboxHygiene hygiene;
  private final AtomicLong leaks = new AtomicLong();

  EffectTransaction(
      InboxConfig config, Dialect dialect, Diagnosis diagnosis, InboxHygiene hygiene) {
    this.config = config;
    this.dialect = dialect;
    this.diagnosis = diagnosis;
    this.fences = new Fences(dialect, diagnosis);
    this.hygiene = hygiene;
  }

  long leaks() {
    return leaks.get();
  }

  List<InboxOutcome> attempt(Batch batch, BatchEffect effect) throws Exception {
    Interruption.check(null);
    try (BorrowedConnection borrowed =
        BorrowedConnection.open(config.dataSource(), dialect, diagnosis)) {
      try {
        Decision decision = claim(borrowed, batch);
        if (decision.fresh().isEmpty()) {
          borrowed.rollbackUnused();
        } else {
          apply(borrowed, batch, decision, effect);
        }
        return decision.outcomes();
      } catch (Throwable t) {
        borrowed.rollbackAfter(t);
        throw t;
      }
    }
  }

  private Decision claim(BorrowedConnection borrowed, Batch batch) throws InterruptedException {
    Connection connection = borrowed.connection();
    try {
      borrowed.inspect(hygiene);
      Facts facts = look(borrowed, batch);
      if (!facts.unknownHandlers().isEmpty()) {
        connection.rollback();
        dialect.registerHandlers(connection, facts.unknownHandlers());
        connection.commit();
        facts = look(borrowed, batch);
        if (!facts.unknownHandlers().isEmpty()) {
          throw diagnosis.handlerNotRegistered(facts.unknownHandlers());
        }
      }
      Decision decision = BatchFold.of(batch, facts, config.beyondWindow());
      if (!decision.fresh().isEmpty()) {
        if (!decision.settlement().isEmpty()) {
          dialect.settle(connection, decision.settlement());
        }
        borrowed.probe().begun();
        Inspection inspection = borrowed.inspection();
        if (inspection != null) {
          inspection.handlerStarts(batch.handlerIds(), batch.describe());
        }
      }
      return decision;
    } catch (SQLException e) {
      Interruption.check(e);
      throw diagnosis.claimFailed(batch, e);
    }
  }

  private Facts look(BorrowedConnection borrowed, Batch batch) throws SQLException {
    Facts facts = dialect.claim(borrowed.connection(), batch);
    if (!facts.leaked().isEmpty()) {
      leaks.incrementAndGet();
      borrowed.evict();
      throw diagnosis.leaked(facts.leaked());
    }
    diagnosis.requireBuckets(facts.bucketSeconds(), config.buckets());
    Fences.require(batch.fenceClaims(), facts.fences(), batch::describe);
    return facts;
  }

  private void apply(
      BorrowedConnection borrowed, Batch batch, Decision decision, BatchEffect effect)
      throws Exception {
    Inspection inspection = borrowed.inspection();
    TransactionGuard guard =
        TransactionGuard.over(
            borrowed.connection(),
            borrowed.probe(),
            dialect.rules(),
            inspection == null ? sql -> {} : inspection::sees);
    try {
      effect.apply(guard.connection(), decision.fresh());
    } catch (Exception e) {
      if (guard.idledOut()) {
        throw diagnosis.idle(batch, config.idleTimeout(), e);
      }
      throw e;
    } finally {
      guard.end();
    }
    Interruption.check(null);
    if (guard.idledOut()) {
      throw diagnosis.idle(batch, config.idleTimeout(), null);
    }
    try {
      requireOpen(borrowed.probe(), guard, batch);
      if (inspection != null) {
        inspection.beforeCommit();
      }
      fences.confirm(borrowed.connection(), batch, decision.fences());
      borrowed.connection().commit();
    } catch (SQLException e) {
      if (SqlStates.is(e, SqlStates.IDLE_IN_TRANSACTION)) {
        throw diagnosis.idle(batch, config.idleTimeout(), e);
      }
      if (SqlStates.isInfrastructure(e, dialect) || borrowed.connection().isClosed()) {
        throw diagnosis.commitLost(batch, e);
      }
      throw e;
    }
  }

  /** A commit of a failed transaction rolls back and reports success (pgjdbc issue 1697). */
  private static void requireOpen(TransactionProbe probe, TransactionGuard guard, Batch batch)
      throws SQLException {
    String refused = guard.refusedEnding();
    if (refused != null) {
      throw new CommitRefusedException(
          "rolled back "
              + batch.describe()
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
                  + batch.describe()
                  + ": a statement failed and the handler swallowed the error: "
                  + (first == null ? "not observed" : Diagnosis.oneLine(first))
                  + "; let it out, or guard the statement with a savepoint",
              first);
      case IDLE ->
          throw new CommitRefusedException(
              "cannot commit "
                  + batch.describe()
                  + ": its transaction was ended under the handler, by COMMIT or ROLLBACK past the"
                  + " guarded connection; return to commit, throw to roll back",
              first);
    }
  }
}
