package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.CommitRefusedException;
import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Says in one line what is wrong with the database and what to do, without secrets. */
public final class Diagnosis {
  private static final Pattern SECRET =
      Pattern.compile("(?i)((?:ssl)?password|passwd|pwd|secret|token)\\s*=\\s*[^&;,\\s]+");
  private static final Pattern USER_INFO = Pattern.compile("://[^/@\\s]+@");

  /** How the message of java.sql.DriverManager begins. */
  private static final String NO_DRIVER = "No suitable driver";

  /** What H2 puts before the statement, which it adds on lines of its own. */
  private static final String H2_STATEMENT = "; SQL statement:";

  private static final Set<String> UNDEFINED =
      Set.of(SqlStates.UNDEFINED_TABLE, SqlStates.UNDEFINED_SCHEMA, SqlStates.UNDEFINED_COLUMN);

  private static final int LONGEST_CAUSE = 300;
  private static final int DEEPEST_CAUSE = 20;

  private final String dataSource;
  private final TableNames tables;
  private final Dialect dialect;

  public Diagnosis(String dataSource, TableNames tables, Dialect dialect) {
    this.dataSource = dataSource;
    this.tables = tables;
    this.dialect = dialect;
  }

  public InboxUnavailableException noConnection(Throwable cause) {
    return unavailable("cannot get a connection: " + oneLine(cause) + hint(cause), cause);
  }

  InboxUnavailableException transactionOpenAtStart() {
    return unavailable(
        "handed out a connection on which a transaction is open already; give the inbox the plain"
            + " data source, not a transaction-aware proxy, and let the pool roll back on return",
        null);
  }

  InboxUnavailableException claimFailed(Batch batch, SQLException cause) {
    if (dialect.sqlState(cause).equals(SqlStates.ACTIVE_TRANSACTION)) {
      return transactionOpenAtStart();
    }
    if (SqlStates.isRepeatable(cause, dialect)) {
      return unavailable(
          "cannot claim "
              + batch.describe()
              + ": another transaction kept hold of the same event or entity: "
              + oneLine(cause)
              + "; see "
              + (isPostgres() ? "lockTimeout and " : "")
              + "transactionRetries",
          cause);
    }
    GuardedRow row = missing(batch, cause);
    if (row != null) {
      return unavailable(
          "cannot claim " + batch.describe() + ": " + oneLine(cause) + "; " + correct(row), cause);
    }
    return unavailable(
        "cannot claim " + batch.describe() + ": " + oneLine(cause) + hint(cause), cause);
  }

  /** A handler's own row cannot be guarded on: a name is wrong, or a privilege is missing. */
  InboxUnavailableException guardedRow(GuardedRow row, SQLException cause) {
    String hint = isUndefined(cause) ? "; " + correct(row) : "";
    if (dialect.sqlState(cause).equals(SqlStates.INSUFFICIENT_PRIVILEGE)) {
      hint = "; grant the data source's user SELECT and UPDATE on " + row.table();
    }
    return unavailable(
        "cannot guard on table "
            + row.table()
            + " with key column "
            + row.keyColumn()
            + " and version column "
            + row.versionColumn()
            + ": "
            + oneLine(cause)
            + hint,
        cause);
  }

  /** The handlers' row that the error is about, and not one of the inbox's tables; or null. */
  private @Nullable GuardedRow missing(Batch batch, SQLException cause) {
    String told = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    if (!isUndefined(cause) || tables.all().stream().anyMatch(told::contains)) {
      return null;
    }
    return batch.foreign().values().stream()
        .map(Batch.Foreign::where)
        .filter(
            row ->
                Stream.of(row.table(), row.keyColumn(), row.versionColumn())
                    .map(name -> name.substring(name.indexOf('.') + 1).toLowerCase(Locale.ROOT))
                    .anyMatch(told::contains))
        .findFirst()
        .orElse(null);
  }

  private boolean isUndefined(SQLException cause) {
    return UNDEFINED.contains(dialect.sqlState(cause));
  }

  private static String correct(GuardedRow row) {
    return "correct table "
        + row.table()
        + ", key column "
        + row.keyColumn()
        + " or version column "
        + row.versionColumn()
        + " where the handler names them, in @VersionGuard(table, keyColumn, versionColumn) or"
        + " EntityVersion.onRow";
  }

  InboxUnavailableException leaked(String settings) {
    return unavailable(
        "handed out a connection on which "
            + settings
            + " had a value from before; nothing was done and the connection is dropped. Set it for"
            + " a transaction only (SET LOCAL, set_config(..., true)), and take away a default that"
            + " the role or the database gives it (ALTER ROLE ... RESET, ALTER DATABASE ... RESET)",
        null);
  }

  /** Throws if the tables slice time in another way: equal events would not meet. */
  void requireBuckets(OptionalInt found, Buckets buckets) {
    if (found.isPresent() && found.getAsInt() != buckets.seconds()) {
      throw unavailable(
          found.getAsInt() == 0
              ? "lacks the row of " + tables.qualified(tables.window()) + "; " + create()
              : "has tables with a bucketWidth of "
                  + Duration.ofSeconds(found.getAsInt())
                  + ", but the inbox is set to "
                  + Duration.ofSeconds(buckets.seconds())
                  + "; set JdbcInbox.builder(...).bucketWidth to the former",
          null);
    }
  }

  CommitRefusedException idle(Batch batch, Duration timeout, @Nullable Exception cause) {
    return new CommitRefusedException(
        "rolled back "
            + batch.describe()
            + ": the database ended its transaction [25P03], because the handler left it idle for"
            + " longer than "
            + (timeout.isZero() ? "idle_in_transaction_session_timeout" : timeout)
            + "; do what takes long outside of the handler, or raise"
            + " JdbcInbox.builder(...).idleTimeout",
        cause);
  }

  InboxUnavailableException handlerNotRegistered(Set<String> handlers) {
    return unavailable(
        "cannot register handler "
            + String.join(", ", handlers)
            + ": its row in "
            + tables.qualified(tables.handler())
            + " is not visible after the insert; look for triggers, rules or row-level security",
        null);
  }

  InboxUnavailableException commitLost(Batch batch, SQLException cause) {
    return unavailable(
        "lost the connection while committing "
            + batch.describe()
            + ", so it is unknown whether it took effect; deliver it again: "
            + oneLine(cause),
        cause);
  }

  public InboxUnavailableException failed(String what, SQLException cause) {
    return unavailable("cannot " + what + ": " + oneLine(cause) + hint(cause), cause);
  }

  InboxUnavailableException tablesMissing(List<String> missing, Throwable cause) {
    String where =
        tables.schema() != null
            ? " in schema " + tables.schema()
            : isPostgres() ? " on the search path" : " in the connection's schema";
    return unavailable(
        (missing.size() == 1 ? "lacks table " : "lacks tables ")
            + String.join(", ", missing)
            + where
            + "; "
            + create(),
        cause);
  }

  InboxUnavailableException noAnswer(Duration timeout) {
    return unavailable(
        "gave no answer within "
            + timeout.toMillis()
            + " ms; check host, port and firewall, and the data source's own timeouts"
            + " (connectTimeout, socketTimeout, the pool's connectionTimeout)",
        null);
  }

  InboxUnavailableException interrupted(String what, InterruptedException cause) {
    return unavailable("did not " + what + ": the thread was interrupted", cause);
  }

  InboxUnavailableException interrupted() {
    return unavailable("was not verified: the thread was interrupted", null);
  }

  private InboxUnavailableException unavailable(String problem, @Nullable Throwable cause) {
    return unavailable(dataSource, problem, cause);
  }

  static InboxUnavailableException unavailable(
      String dataSource, String problem, @Nullable Throwable cause) {
    return new InboxUnavailableException("inbox data source " + dataSource + " " + problem, cause);
  }

  private Database database() {
    Database known = dialect.database();
    return known == null ? Database.POSTGRESQL : known;
  }

  private boolean isPostgres() {
    return database() == Database.POSTGRESQL;
  }

  private String create() {
    // the script as it is makes tables of the default names only
    return tables.schema() == null && tables.prefix().equals(TableNames.DEFAULT_PREFIX)
        ? "run JdbcInbox.createSchema() or the script " + database().script()
        : "run JdbcInbox.createSchema(), with the same schema and tablePrefix";
  }

  private String hint(Throwable cause) {
    SQLException sql = innermostSql(cause);
    String state = sql == null ? "" : dialect.sqlState(sql);
    if (sql != null && String.valueOf(sql.getMessage()).startsWith(NO_DRIVER)) {
      // under the state of a connection that failed, though nothing was connected to
      return "; no driver takes the data source's URL: check that it begins with jdbc:postgresql:"
          + " (or jdbc:mariadb:, jdbc:mysql:, jdbc:h2:) and that the driver"
          + " (org.postgresql:postgresql) is on the class path";
    }
    return switch (state) {
      case "28000", "28P01" -> "; check the data source's user and password";
      case "3D000" -> "; check the database name in the data source's URL";
      case "08001", "08004", "08006" ->
          "; check host and port in the data source's URL and that the server runs";
      case "53300" -> "; lower the pools' sizes or raise the server's max_connections";
      case "57P01", "57P02", "57P03" -> "; the server is shutting down or starting";
      case SqlStates.UNDEFINED_SCHEMA ->
          "; create the schema, or set the one that is named, or the connections' search_path, to"
              + " one that exists";
      case SqlStates.UNDEFINED_TABLE, SqlStates.UNDEFINED_COLUMN -> "; " + create();
      case SqlStates.READ_ONLY_TRANSACTION ->
          "; point the data source at the primary and make it writable"
              + (isPostgres() ? " (readOnly, default_transaction_read_only)" : "");
      case SqlStates.INSUFFICIENT_PRIVILEGE ->
          "; grant the data source's user SELECT and INSERT on "
              + tables.qualified(tables.handler())
              + ", SELECT and UPDATE on "
              + tables.qualified(tables.window())
              + ", SELECT, INSERT and DELETE on "
              + tables.qualified(tables.processedEvent())
              + ", and SELECT, INSERT and UPDATE on "
              + tables.qualified(tables.entityVersion())
              + " and "
              + tables.qualified(tables.fence());
      default -> "";
    };
  }

  /** The innermost SQL error's first line: pools wrap the reason, drivers append row contents. */
  public static String oneLine(Throwable failure) {
    SQLException sql = innermostSql(failure);
    Throwable told = sql == null ? failure : sql;
    String message = told.getMessage() == null ? told.getClass().getName() : told.getMessage();
    String line = message.strip().lines().findFirst().orElse("");
    line = SECRET.matcher(line).replaceAll("$1=***");
    line = USER_INFO.matcher(line).replaceAll("://***@");
    if (line.endsWith(H2_STATEMENT)) {
      line = line.substring(0, line.length() - H2_STATEMENT.length());
    }
    if (line.length() > LONGEST_CAUSE) {
      line = line.substring(0, LONGEST_CAUSE) + "...";
    }
    String state = sql == null ? null : sql.getSQLState();
    return state == null ? line : String.format(Locale.ROOT, "%s [%s]", line, state);
  }

  private static @Nullable SQLException innermostSql(Throwable failure) {
    SQLException found = null;
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException sql) {
        found = sql;
      }
      cause = cause.getCause();
    }
    return found;
  }
}
