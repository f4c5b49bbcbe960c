package dev.onceward.dedupe.hygiene;

import dev.onceward.dedupe.internal.hygiene.DroppedConnection;
import dev.onceward.dedupe.internal.hygiene.Hikari;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Takes a dirty connection out of its pool, so that nobody borrows it again. Must be thread-safe.
 */
@FunctionalInterface
public interface Evictor {

  /**
   * Takes the connection out of the pool. It is closed right afterwards, by its borrower's {@code
   * close()}.
   *
   * @param pool the data source that was wrapped
   * @param connection what that data source handed out
   * @throws SQLException if it cannot; the connection is then aborted
   */
  void evict(DataSource pool, Connection connection) throws SQLException;

  /**
   * The default: {@code evictConnection} of a HikariCP pool, found by reflection, also behind
   * wrappers that unwrap to it; for any other pool {@link Connection#abort}, which ends the
   * physical connection, so that the pool finds it closed.
   */
  static Evictor standard() {
    return (pool, connection) -> {
      if (!Hikari.evict(pool, connection)) {
        DroppedConnection.end(connection);
      }
    };
  }
}
