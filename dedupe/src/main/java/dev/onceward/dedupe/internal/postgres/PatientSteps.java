package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Steps that need a strong lock, each in a transaction of its own. Whoever waits for such a lock
 * makes all others wait behind it, so each try waits for a moment only, and there are several.
 */
final class PatientSteps {
  private static final int TRIES = 8;
  private static final int LOCK_MILLIS = 150;
  private static final int IDLE_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 200;

  /** Commits the step; false when the lock was not to be had, or the thread was interrupted. */
  boolean run(Connection connection, Step step) throws SQLException {
    for (int attempt = 1; attempt <= TRIES; attempt++) {
      try (Statement statement = connection.createStatement()) {
        // a process that is frozen in between must not keep the lock
        statement.execute(
            "SET LOCAL lock_timeout = "
                + LOCK_MILLIS
                + "; SET LOCAL idle_in_transaction_session_timeout = "
                + IDLE_MILLIS);
        step.run(statement);
        connection.commit();
        return true;
      } catch (SQLException e) {
        connection.rollback();
        if (!SqlStates.isRepeatable(e)) {
          throw e;
        }
      }
      if (attempt < TRIES && !pause()) {
        return false;
      }
    }
    return false;
  }

  private static boolean pause() {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(PAUSE_MILLIS / 4, PAUSE_MILLIS));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What is done under the lock; it does not commit. */
  interface Step {
    void run(Statement statement) throws SQLException;
  }
}
