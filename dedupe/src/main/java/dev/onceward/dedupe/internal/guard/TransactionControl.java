package dev.onceward.dedupe.internal.guard;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a statement's text does to the transaction. A handler that runs {@code COMMIT; BEGIN} leaves
 * an open transaction behind, so the state before the commit cannot tell; the text can.
 *
 * @param ending the command that ends or begins a transaction, or null
 * @param toSavepoint whether it rolls back to a savepoint
 * @param lasting the command that changes the session for longer than the transaction, or null
 */
public record TransactionControl(
    @Nullable String ending, boolean toSavepoint, @Nullable String lasting) {
  public static final TransactionControl NONE = new TransactionControl(null, false);
  public static final TransactionControl TO_SAVEPOINT = new TransactionControl(null, true);

  TransactionControl(@Nullable String ending, boolean toSavepoint) {
    this(ending, toSavepoint, null);
  }

  /** A statement that ends the transaction, or begins another one. */
  public static TransactionControl ending(String command) {
    return new TransactionControl(command, false);
  }

  /** A statement whose effect outlives the transaction. */
  public static TransactionControl lasting(String command) {
    return new TransactionControl(null, false, command);
  }

  /** What a text does on PostgreSQL. */
  static TransactionControl of(String sql) {
    return of(new SqlWords(sql, SqlWords.Lexis.POSTGRESQL), TransactionControl::ofStatement);
  }

  /** What a text does, where {@code reader} reads one statement. */
  public static TransactionControl of(
      SqlWords words, Function<SqlWords, TransactionControl> reader) {
    TransactionControl found = NONE;
    do {
      TransactionControl control = reader.apply(words);
      if (control.ending != null || control.lasting != null) {
        return control;
      }
      if (control.toSavepoint) {
        found = control;
      }
    } while (words.nextStatement());
    return found;
  }

  private static TransactionControl ofStatement(SqlWords words) {
    String first = words.next();
    return switch (first) {
      case "COMMIT", "END", "ABORT", "BEGIN" -> new TransactionControl(first, false);
      case "START", "PREPARE" ->
          words.next().equals("TRANSACTION")
              ? new TransactionControl(first + " TRANSACTION", false)
              : NONE;
      case "ROLLBACK" -> ofRollback(words);
      case "SET" ->
          switch (words.next()) {
            case "LOCAL", "TRANSACTION", "CONSTRAINTS" -> NONE;
            default -> new TransactionControl(null, false, first);
          };
      case "RESET", "DISCARD", "LISTEN" -> new TransactionControl(null, false, first);
      case "CREATE" -> {
        skipFunctionBody(words);
        yield NONE;
      }
      default -> NONE;
    };
  }

  /** What follows ROLLBACK. */
  public static TransactionControl ofRollback(SqlWords words) {
    String next = words.next();
    if (next.equals("WORK") || next.equals("TRANSACTION")) {
      next = words.next();
    }
    return next.equals("TO") ? TO_SAVEPOINT : new TransactionControl("ROLLBACK", false);
  }

  /** The body of an SQL-standard function holds semicolons and an END of its own. */
  private static void skipFunctionBody(SqlWords words) {
    String previous = "";
    for (String word = words.next(); !word.isEmpty(); word = words.next()) {
      if (previous.equals("BEGIN") && word.equals("ATOMIC")) {
        words.skipAll();
        return;
      }
      previous = word;
    }
  }
}
