package dev.onceward.dedupe;

/** The isolation level of an effect's transaction. */
public enum TransactionIsolation {
  /** What PostgreSQL does by default, and what the inbox needs: a duplicate waits, then skips. */
  READ_COMMITTED("READ COMMITTED"),
  /** Concurrent duplicates end in a serialization failure and a repeat. */
  REPEATABLE_READ("REPEATABLE READ"),
  /** As {@link #REPEATABLE_READ}, and anomalies between effects are serialization failures too. */
  SERIALIZABLE("SERIALIZABLE");

  private final String sql;

  TransactionIsolation(String sql) {
    this.sql = sql;
  }

  /** The level as SQL spells it. */
  public String sql() {
    return sql;
  }
}
