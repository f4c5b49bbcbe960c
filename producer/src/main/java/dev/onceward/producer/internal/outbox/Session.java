package dev.onceward.producer.internal.outbox;

import dev.onceward.dedupe.internal.Diagnosis;
import dev.onceward.producer.outbox.OutboxUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a data source, opened when it is first needed and again after it failed. It is
 * lent in autocommit and READ COMMITTED, and given back as it came. Not thread-safe.
 */
public final class Session implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private final DataSource dataSource;
  private @Nullable Connection connection;
  private boolean autoCommit;
  private int isolation;

  public Session(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** What is done with the connection. */
  interface Sql<T> {
    T on(Connection connection) throws SQLException;
  }

  /** What is done with the session. */
  public interface Work<T> {
    T with(Session session) throws SQLException;
  }

  /** Runs statements that each commit by themselves. Whatever fails costs the connection. */
  <T> T run(Sql<T> work) throws SQLException {
    boolean done = false;
    try {
      T result = work.on(open());
      done = true;
      return result;
    } finally {
      if (!done) {
        drop();
      }
    }
  }

  /** Runs statements in one transaction and commits it. */
  <T> T transaction(Sql<T> work) throws SQLException {
    return run(
        opened -> {
          opened.setAutoCommit(false);
          T result = work.on(opened);
          opened.commit();
          opened.setAutoCommit(true);
          return result;
        });
  }

  /**
   * Runs {@code work} and says what went wrong.
   *
   * @param what the end of "cannot"
   * @throws OutboxUnavailableException when it fails
   */
  public <T> T explained(String what, Work<T> work) {
    try {
      return work.with(this);
    } catch (SQLException e) {
      throw new OutboxUnavailableException("the outbox cannot " + what + ": " + explain(e), e);
    }
  }

  /** What went wrong, and what mends it, in one line without final full stop and secrets. */
  static String explain(SQLException failure) {
    String state = failure.getSQLState() == null ? "" : failure.getSQLState();
    String hint =
        switch (state) {
          case "28000", "28P01" -> "; check the data source's user and password";
          case "3D000" -> "; check the database name in the data source's URL";
          case "08001", "08004", "08006" ->
              "; check host and port in the data source's URL and that the server runs";
          case "53300" -> "; lower the pools' sizes or raise the server's max_connections";
          case "57P01", "57P02", "57P03" -> "; the server is shutting down or starting";
          case "42P01", "42703" -> "; " + Schema.CREATE;
          case "3F000" ->
              "; create the schema, or set the one that is named, or the connections' search_path,"
                  + " to one that exists";
          case "25006" -> "; point the data source at the primary and make it writable";
          case "42501" ->
              "; grant the user what dev/onceward/producer/outbox/postgresql.sql says at its head";
          default -> "";
        };
    return Diagnosis.oneLine(failure) + hint;
  }

  private Connection open() throws SQLException {
    Connection known = connection;
    if (known != null) {
      return known;
    }
    Connection opened;
    try {
      opened = dataSource.getConnection();
    } catch (RuntimeException e) {
      // pools that connect lazily throw their own
      throw new SQLException("no connection: " + Diagnosis.oneLine(e), "08001", e);
    }
    connection = opened;
    autoCommit = opened.getAutoCommit();
    isolation = opened.getTransactionIsolation();
    if (!autoCommit) {
      opened.setAutoCommit(true);
    }
    if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
      opened.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
    return opened;
  }

  /** Ends the connection for good: it is in an unknown state. */
  private void drop() {
    Connection known = connection;
    connection = null;
    if (known == null) {
      return;
    }
    try {
      known.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      LOG.debug("A broken connection cannot be aborted", e);
    }
    try {
      known.close();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("A broken connection reports its state on close", e);
    }
  }

  /** Gives the connection back; never throws. */
  @Override
  public void close() {
    Connection known = connection;
    if (known == null) {
      return;
    }
    try {
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        known.setTransactionIsolation(isolation);
      }
      if (!autoCommit) {
        known.setAutoCommit(false);
      }
      connection = null;
      known.close();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("A connection cannot be given back", e);
      connection = known;
      drop();
    }
  }
}
