package dev.onceward.dedupe.internal.hygiene;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends physical connections that are in an unknown state. */
public final class DroppedConnection {
  private static final Logger LOG = LoggerFactory.getLogger(DroppedConnection.class);

  private DroppedConnection() {}

  /** Ends it, and lets its pool learn from a failing call that it is not worth keeping. */
  public static void end(Connection connection) throws SQLException {
    connection.abort(Runnable::run);
    try {
      connection.createStatement().close();
    } catch (SQLException | RuntimeException e) {
      LOG.trace("The dropped connection is of no more use", e);
    }
  }
}
