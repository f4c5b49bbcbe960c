package dev.onceward.dedupe.internal.h2;

import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.SqlWords;
import dev.onceward.dedupe.internal.guard.SqlWords.Lexis;
import dev.onceward.dedupe.internal.guard.TransactionControl;

/** Nearly all that is neither a query nor a change of rows commits in H2. */
final class H2Rules implements SqlRules {
  private static final String IMPLICIT = " (which commits on H2)";

  @Override
  public TransactionControl read(String sql) {
    return TransactionControl.of(new SqlWords(sql, Lexis.H2), H2Rules::statement);
  }

  private static TransactionControl statement(SqlWords words) {
    String first = words.next();
    return switch (first) {
      case "COMMIT", "BEGIN" -> TransactionControl.ending(first);
      case "START" -> TransactionControl.ending("START TRANSACTION");
      case "ROLLBACK" -> TransactionControl.ofRollback(words);
      case "CREATE",
          "DROP",
          "ALTER",
          "TRUNCATE",
          "GRANT",
          "REVOKE",
          "COMMENT",
          "ANALYZE",
          "REFRESH",
          "RUNSCRIPT",
          "SCRIPT",
          "BACKUP",
          "CHECKPOINT",
          "SHUTDOWN" ->
          TransactionControl.ending(first + IMPLICIT);
      case "PREPARE" ->
          words.next().equals("COMMIT")
              ? TransactionControl.ending("PREPARE COMMIT")
              : TransactionControl.lasting(first);
      case "EXECUTE", "SET", "USE" -> TransactionControl.lasting(first);
      default -> TransactionControl.NONE;
    };
  }

  @Override
  public String insteadOfLasting() {
    return "the data source's settings";
  }
}
