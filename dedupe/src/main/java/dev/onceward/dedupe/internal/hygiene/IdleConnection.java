package dev.onceward.dedupe.internal.hygiene;

import java.sql.Connection;
import java.sql.SQLException;

/** Reads from a connection on which no transaction is open, and leaves none behind. */
final class IdleConnection {
  private IdleConnection() {}

  /** A read. */
  interface Read<T> {
    T from(Connection connection) throws SQLException;
  }

  static <T> T read(Connection connection, Read<T> read) throws SQLException {
    if (connection.getAutoCommit()) {
      return read.from(connection);
    }
    // costs no round trip, unlike the rollback that the read would need otherwise
    connection.setAutoCommit(true);
    try {
      return read.from(connection);
    } finally {
      connection.setAutoCommit(false);
    }
  }
}
