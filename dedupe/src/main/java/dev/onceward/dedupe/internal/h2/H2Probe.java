package dev.onceward.dedupe.internal.h2;

import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Goes by the number of the transaction: DDL commits it, and a deadlock rolls it back, without a
 * word to the next statement. A transaction has a number only once it has written something, so
 * deadlocks are also noticed by their errors.
 */
final class H2Probe implements TransactionProbe {
  /** DEADLOCK_1. */
  private static final int DEADLOCK = 40001;

  private final Connection connection;
  private @Nullable String transaction;
  private volatile boolean rolledBack;

  H2Probe(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void begun() throws SQLException {
    transaction = transaction(connection);
  }

  @Override
  public void failed(SQLException error) {
    if (error.getErrorCode() == DEADLOCK) {
      rolledBack = true;
    }
  }

  @Override
  public @Nullable State peek() {
    return rolledBack ? State.FAILED : null;
  }

  @Override
  public State check() throws SQLException {
    if (rolledBack) {
      return State.FAILED;
    }
    return transaction == null || transaction.equals(transaction(connection))
        ? State.OPEN
        : State.IDLE;
  }

  /** The number of the transaction, or null when it has written nothing. */
  static @Nullable String transaction(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT TRANSACTION_ID()")) {
      row.next();
      return row.getString(1);
    }
  }
}
