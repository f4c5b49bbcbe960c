package dev.onceward.dedupe.internal.guard;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Tells whether a transaction can still be committed. */
public interface TransactionProbe {

  /** The state of a transaction. */
  enum State {
    /** None is open on the connection. */
    IDLE,
    /** It is the one that was begun, and can be committed. */
    OPEN,
    /** A statement failed; only a rollback is possible. */
    FAILED
  }

  /** Called once the transaction's first statement has run, or, without one, at its begin. */
  void begun() throws SQLException;

  /** Called with each error of a statement of the handler's. */
  default void failed(SQLException error) {}

  /** Called when the handler has rolled back to a savepoint. */
  default void mended() {}

  /** The state, when it is known without asking the server; otherwise null. */
  @Nullable State peek();

  /** The state, asking the server when needed. */
  State check() throws SQLException;
}
