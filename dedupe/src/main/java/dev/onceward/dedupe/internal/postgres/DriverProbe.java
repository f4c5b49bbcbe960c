package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.util.PSQLException;

/**
 * Reads the state that the server reports with every answer and pgjdbc keeps: no round trip. The
 * only class that touches the driver's own types.
 */
final class DriverProbe implements TransactionProbe {
  private final BaseConnection connection;
  private boolean begunIdle;

  /** Whether the driver has undone a statement of the handler that failed, and nothing else. */
  private boolean undone;

  private DriverProbe(BaseConnection connection) {
    this.connection = connection;
  }

  static @Nullable TransactionProbe on(Connection connection) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        ? new DriverProbe(connection.unwrap(BaseConnection.class))
        : null;
  }

  @Override
  public void begun() {
    // pgjdbc sends BEGIN with the first statement; a transaction without one starts out idle.
    begunIdle = peek() == State.IDLE;
  }

  /**
   * With {@code autosave=always} the driver rolls back to a savepoint of its own, and the rest of
   * the transaction could be committed: an effect in part, if the handler swallows the error.
   */
  @Override
  public void failed(SQLException error) {
    undone |= connection.getAutosave() == AutoSave.ALWAYS && isOfServer(error);
  }

  @Override
  public void mended() {
    undone = false;
  }

  private static boolean isOfServer(SQLException error) {
    for (Throwable each : error) {
      if (each instanceof PSQLException failure && failure.getServerErrorMessage() != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public State peek() {
    return switch (connection.getTransactionState()) {
      case IDLE -> State.IDLE;
      case OPEN -> undone ? State.FAILED : State.OPEN;
      case FAILED -> State.FAILED;
    };
  }

  @Override
  public State check() {
    State state = peek();
    return state == State.IDLE && begunIdle ? State.OPEN : state;
  }
}
