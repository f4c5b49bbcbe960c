package dev.onceward.dedupe.internal.guard;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one handler inside its transaction: lends it a connection that refuses to end the
 * transaction, remembers the error that broke it, and goes dead when the handler returns.
 */
public final class TransactionGuard {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionGuard.class);

  /** SQLSTATE "invalid transaction termination". */
  private static final String INVALID_TERMINATION = "2D000";

  /** SQLSTATE "invalid transaction state". */
  private static final String INVALID_STATE = "25000";

  /** SQLSTATE "idle in transaction session timeout". */
  private static final String IDLE_IN_TRANSACTION = "25P03";

  /** SQLSTATE "feature not supported". */
  private static final String NOT_SUPPORTED = "0A000";

  private final TransactionProbe probe;
  private final Connection connection;
  private final SqlRules rules;
  private final Consumer<String> texts;
  private final Set<Statement> openStatements =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final AtomicReference<@Nullable SQLException> firstError = new AtomicReference<>();
  private final AtomicReference<@Nullable String> refusedEnding = new AtomicReference<>();
  private volatile boolean ended;
  private volatile boolean idledOut;

  private TransactionGuard(
      Connection raw, TransactionProbe probe, SqlRules rules, Consumer<String> texts) {
    this.probe = probe;
    this.rules = rules;
    this.texts = texts;
    this.connection = Wrapping.proxy(Connection.class, new GuardedConnection(this, raw));
  }

  /**
   * Begins to guard.
   *
   * @param rules which statements are refused
   * @param texts sees the text of each statement that is not refused
   */
  public static TransactionGuard over(
      Connection raw, TransactionProbe probe, SqlRules rules, Consumer<String> texts) {
    return new TransactionGuard(raw, probe, rules, texts);
  }

  /** The connection for the handler; always the same. */
  public Connection connection() {
    return connection;
  }

  /** The error that made the transaction fail, if it was seen and not undone by a savepoint. */
  public @Nullable SQLException firstError() {
    return firstError.get();
  }

  /** The first call by which the handler tried to end the transaction, or null. */
  public @Nullable String refusedEnding() {
    return refusedEnding.get();
  }

  /** Whether a statement found that the database has ended the transaction, because it idled. */
  public boolean idledOut() {
    return idledOut;
  }

  /** Makes the lent connection useless and closes the statements left open. */
  public void end() {
    ended = true;
    List<Statement> left;
    synchronized (openStatements) {
      left = List.copyOf(openStatements);
      openStatements.clear();
    }
    for (Statement statement : left) {
      try {
        statement.close();
      } catch (SQLException | RuntimeException e) {
        LOG.warn("Cannot close a statement that a handler left open", e);
      }
    }
  }

  boolean isEnded() {
    return ended;
  }

  void requireAlive() throws SQLException {
    if (ended) {
      throw new SQLException(
          "this connection belonged to an event's transaction, which is over; use it only inside"
              + " the handler and on its thread",
          INVALID_STATE);
    }
  }

  /** Refuses a call that would end the transaction; the transaction will not be committed. */
  SQLException refuseEnding(String call) {
    refusedEnding.compareAndSet(null, call);
    return new SQLException(
        call
            + " is refused inside an event's transaction: return from the handler to commit, throw"
            + " an exception to roll back, or use a savepoint",
        INVALID_TERMINATION);
  }

  String insteadOfLasting() {
    return rules.insteadOfLasting();
  }

  /** Refuses a call that does not end the transaction but would get round the guard. */
  static SQLException refuse(String message) {
    return new SQLException(message, NOT_SUPPORTED);
  }

  void failed(SQLException error) {
    if (IDLE_IN_TRANSACTION.equals(error.getSQLState())) {
      idledOut = true;
    }
    probe.failed(error);
    TransactionProbe.State state = probe.peek();
    if (state == null || state == TransactionProbe.State.FAILED) {
      firstError.compareAndSet(null, error);
    }
  }

  /** A rollback to a savepoint has mended the transaction. */
  void mended() {
    firstError.set(null);
    probe.mended();
  }

  void opened(Statement statement) {
    openStatements.add(statement);
  }

  void closed(Statement statement) {
    openStatements.remove(statement);
  }

  /** Checks the text of a statement before it is sent. */
  TransactionControl inspect(String sql) throws SQLException {
    TransactionControl control = rules.read(sql);
    if (control.ending() != null) {
      throw refuseEnding(control.ending());
    }
    if (control.lasting() != null) {
      throw refuse(
          control.lasting()
              + " is refused inside an event's transaction: it would outlive the transaction on a"
              + " pooled connection; use "
              + rules.insteadOfLasting());
    }
    texts.accept(sql);
    return control;
  }
}
