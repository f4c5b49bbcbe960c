package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source whose connections are made by the test, one call at a time. */
public final class WatchedDataSource implements DataSource {
  private final Source source;
  private volatile @Nullable Connection last;

  public WatchedDataSource(Source source) {
    this.source = source;
  }

  /** The raw connection that was handed out last. */
  public Connection last() {
    return requireNonNull(last, "no connection was handed out");
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection next = source.next();
    last = next;
    return next;
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setLogWriter(PrintWriter out) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setLoginTimeout(int seconds) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("not a wrapper");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }

  /** Makes a connection. */
  @FunctionalInterface
  public interface Source {
    Connection next() throws SQLException;
  }
}
