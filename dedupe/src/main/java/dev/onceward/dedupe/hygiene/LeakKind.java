package dev.onceward.dedupe.hygiene;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The kinds of state that a borrower can leave on a connection. */
public enum LeakKind {
  /** A transaction was left open, as by an early return. */
  OPEN_TRANSACTION("an open transaction", "commit or roll back before closing, in a finally"),
  /** A transaction in which a statement failed was left open: its error was swallowed. */
  FAILED_TRANSACTION(
      "a failed transaction", "let the SQLException out, and roll back before closing"),
  /** Autocommit is not as it was. */
  AUTOCOMMIT("autocommit changed", "set it back before closing"),
  /** The read-only flag is not as it was. */
  READ_ONLY("the read-only flag changed", "set it back before closing"),
  /** The isolation level set by JDBC is not as it was. */
  ISOLATION(
      "the isolation level changed", "set it back before closing, or use SET TRANSACTION instead"),
  /** The schema set by JDBC is not as it was. */
  SCHEMA("the schema changed", "set it back before closing, or use SET LOCAL search_path"),
  /** The catalog set by JDBC is not as it was. */
  CATALOG("the catalog changed", "set it back before closing"),
  /** The network timeout is not as it was. */
  NETWORK_TIMEOUT("the network timeout changed", "set it back before closing"),
  /** Statements were not closed. A driver's own cache of prepared statements is no leak. */
  STATEMENT("open statements", "close statements, with try-with-resources"),
  /** A watched setting has a session-level value that is not that of the baseline. */
  SETTING(
      "a setting of the session", "use SET LOCAL or set_config(..., true) inside a transaction"),
  /** The role, or the session's user, is another one. */
  ROLE("another role", "use SET LOCAL ROLE inside a transaction"),
  /** The session's search path is another one. */
  SEARCH_PATH("another search_path", "use SET LOCAL search_path inside a transaction"),
  /** Session-level advisory locks are held. */
  ADVISORY_LOCK("a session-level advisory lock", "use pg_advisory_xact_lock, or unlock it"),
  /** Temporary tables, views or sequences exist. */
  TEMPORARY_TABLE("a temporary table", "create it with ON COMMIT DROP, or drop it"),
  /** The session listens to a channel. */
  LISTEN("a LISTEN", "listen on a connection of its own that no pool hands out"),
  /** Cursors declared WITH HOLD are open. */
  HOLDABLE_CURSOR("a holdable cursor", "close it");

  private final String text;
  private final String fix;

  LeakKind(String text, String fix) {
    this.text = text;
    this.fix = fix;
  }

  /** What was left, for messages, such as {@code an open transaction}. */
  public String text() {
    return text;
  }

  /** What the borrower should do instead, for messages. */
  public String fix() {
    return fix;
  }

  /** The name that metrics use: in lower case, such as {@code advisory_lock}. */
  public String metricName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The state that JDBC's own methods set: autocommit, read-only, isolation, schema, catalog and
   * network timeout. Pools such as HikariCP set it back on their own; whoever relies on that can
   * give it to {@link ConnectionHygiene.Builder#ignoring}. A new set each time.
   */
  public static Set<LeakKind> jdbcState() {
    return EnumSet.of(AUTOCOMMIT, READ_ONLY, ISOLATION, SCHEMA, CATALOG, NETWORK_TIMEOUT);
  }
}
