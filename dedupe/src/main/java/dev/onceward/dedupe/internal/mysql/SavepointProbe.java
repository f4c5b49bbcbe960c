package dev.onceward.dedupe.internal.mysql;

import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Goes by a savepoint that is set when the transaction begins, and gone when it has ended: by DDL,
 * by COMMIT inside a procedure, or by a deadlock, which rolls the whole transaction back without a
 * word to the next statement. Costs one round trip before the commit.
 */
final class SavepointProbe implements TransactionProbe {
  /** Set by {@link MySqlFlavor#begin}. */
  static final String NAME = "onceward_begun";

  /** ER_SP_DOES_NOT_EXIST. */
  private static final int NO_SUCH_SAVEPOINT = 1305;

  /** ER_LOCK_DEADLOCK. */
  private static final int DEADLOCK = 1213;

  private final Connection connection;
  private volatile boolean deadlocked;

  SavepointProbe(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void begun() {}

  @Override
  public void failed(SQLException error) {
    if (error.getErrorCode() == DEADLOCK) {
      deadlocked = true;
    }
  }

  @Override
  public @Nullable State peek() {
    return deadlocked ? State.FAILED : null;
  }

  @Override
  public State check() throws SQLException {
    if (deadlocked) {
      return State.FAILED;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("RELEASE SAVEPOINT " + NAME);
      return State.OPEN;
    } catch (SQLException e) {
      if (e.getErrorCode() == NO_SUCH_SAVEPOINT) {
        return State.IDLE;
      }
      throw e;
    }
  }
}
