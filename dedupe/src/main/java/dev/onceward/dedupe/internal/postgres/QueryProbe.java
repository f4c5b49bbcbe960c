package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.SqlStates;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Asks the server, for drivers that do not tell: two more round trips for each effect. It compares
 * transaction ids, so it also notices when another transaction has taken the place of the first.
 */
final class QueryProbe implements TransactionProbe {
  private final Connection connection;
  private @Nullable String transaction;

  QueryProbe(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void begun() throws SQLException {
    transaction = ask("SELECT txid_current()::text");
  }

  @Override
  public @Nullable State peek() {
    return null;
  }

  @Override
  public State check() throws SQLException {
    try {
      String current = ask("SELECT txid_current_if_assigned()::text");
      return current != null && current.equals(transaction) ? State.OPEN : State.IDLE;
    } catch (SQLException e) {
      if (SqlStates.is(e, SqlStates.FAILED_TRANSACTION)) {
        return State.FAILED;
      }
      throw e;
    }
  }

  private @Nullable String ask(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
