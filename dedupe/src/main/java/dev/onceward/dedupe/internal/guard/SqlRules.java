package dev.onceward.dedupe.internal.guard;

/** Which statements end a transaction or outlive it, on one kind of database. Thread-safe. */
public interface SqlRules {
  SqlRules POSTGRESQL =
      new SqlRules() {
        @Override
        public TransactionControl read(String sql) {
          return TransactionControl.of(sql);
        }

        @Override
        public String insteadOfLasting() {
          return "SET LOCAL, or the data source's settings";
        }
      };

  /** What the text of one or several statements does to the transaction. */
  TransactionControl read(String sql);

  /** What to use instead of a statement that changes the session, for messages. */
  String insteadOfLasting();
}
