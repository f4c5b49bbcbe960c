package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * Reads the state that the server reports with every answer and pgjdbc keeps: no round trip. The
 * only class that touches the driver's own types.
 */
final class DriverProbe implements TransactionProbe {
  private final BaseConnection connection;
  private boolean begunIdle;

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

  @Override
  public State peek() {
    return switch (connection.getTransactionState()) {
      case IDLE -> State.IDLE;
      case OPEN -> State.OPEN;
      case FAILED -> State.FAILED;
    };
  }

  @Override
  public State check() {
    State state = peek();
    return state == State.IDLE && begunIdle ? State.OPEN : state;
  }
}
