package dev.onceward.dedupe.internal.mysql;

import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.SqlWords;
import dev.onceward.dedupe.internal.guard.SqlWords.Lexis;
import dev.onceward.dedupe.internal.guard.TransactionControl;
import java.util.Locale;

/**
 * MySQL and MariaDB commit before and after each statement that is not about rows (MySQL manual,
 * "Statements That Cause an Implicit Commit").
 */
final class MySqlRules implements SqlRules {
  private static final String IMPLICIT = " (which commits on MySQL and MariaDB)";

  @Override
  public TransactionControl read(String sql) {
    TransactionControl control =
        TransactionControl.of(new SqlWords(sql, Lexis.MYSQL), MySqlRules::statement);
    return control.equals(TransactionControl.NONE) && locks(sql)
        ? TransactionControl.lasting("GET_LOCK")
        : control;
  }

  private static boolean locks(String sql) {
    if (!sql.toLowerCase(Locale.ROOT).contains("get_lock")) {
      return false; // the common case costs little
    }
    SqlWords words = new SqlWords(sql, Lexis.MYSQL);
    do {
      for (String word = words.next(); !word.isEmpty(); word = words.next()) {
        if (word.equals("GET_LOCK")) {
          return true;
        }
      }
    } while (words.nextStatement());
    return false;
  }

  private static TransactionControl statement(SqlWords words) {
    String first = words.next();
    return switch (first) {
      case "COMMIT", "BEGIN", "XA" -> TransactionControl.ending(first);
      case "START" -> TransactionControl.ending(first + " " + words.next());
      case "ROLLBACK" -> TransactionControl.ofRollback(words);
      case "CREATE" -> create(words);
      case "DROP" -> words.next().equals("TEMPORARY") ? TransactionControl.NONE : implicit(first);
      case "LOAD" ->
          words.next().equals("INDEX") ? implicit("LOAD INDEX") : TransactionControl.NONE;
      case "ALTER",
          "RENAME",
          "TRUNCATE",
          "GRANT",
          "REVOKE",
          "INSTALL",
          "UNINSTALL",
          "ANALYZE",
          "OPTIMIZE",
          "REPAIR",
          "CHECK",
          "CACHE",
          "FLUSH",
          "RESET",
          "LOCK",
          "UNLOCK",
          "CHANGE",
          "STOP",
          "BACKUP",
          "IMPORT",
          "CLONE",
          "RESTART",
          "SHUTDOWN" ->
          implicit(first);
      case "SET" -> set(words);
      case "USE", "PREPARE", "EXECUTE", "HANDLER" -> TransactionControl.lasting(first);
      default -> TransactionControl.NONE;
    };
  }

  private static TransactionControl create(SqlWords words) {
    String next = words.next();
    if (next.equals("OR")) {
      words.next();
      next = words.next();
    }
    return next.equals("TEMPORARY")
        ? TransactionControl.lasting("CREATE TEMPORARY TABLE")
        : implicit("CREATE");
  }

  private static TransactionControl set(SqlWords words) {
    return switch (words.next()) {
      case "STATEMENT" -> afterFor(words);
      case "PASSWORD" -> implicit("SET PASSWORD");
      default -> TransactionControl.lasting("SET");
    };
  }

  /** MariaDB: SET STATEMENT settings FOR statement. */
  private static TransactionControl afterFor(SqlWords words) {
    for (String word = words.next(); !word.isEmpty(); word = words.next()) {
      if (word.equals("FOR")) {
        return statement(words);
      }
    }
    return TransactionControl.NONE;
  }

  private static TransactionControl implicit(String command) {
    return TransactionControl.ending(command + IMPLICIT);
  }

  @Override
  public String insteadOfLasting() {
    return "the data source's settings";
  }
}
