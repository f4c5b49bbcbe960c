package dev.onceward.dedupe;

/** The databases that {@link JdbcInbox} works on. */
public enum Database {
  /** PostgreSQL 14 or newer, and what speaks its SQL in full. */
  POSTGRESQL("PostgreSQL", "postgresql.sql"),
  /** MySQL 8.0 or newer, with InnoDB tables. */
  MYSQL("MySQL", "mysql.sql"),
  /** MariaDB 10.6 or newer, with InnoDB tables. */
  MARIADB("MariaDB", "mysql.sql"),
  /** H2 2.2 or newer, in any of its modes. */
  H2("H2", "h2.sql");

  private final String productName;
  private final String script;

  Database(String productName, String script) {
    this.productName = productName;
    this.script = script;
  }

  /** The name that drivers report in {@link java.sql.DatabaseMetaData#getDatabaseProductName}. */
  public String productName() {
    return productName;
  }

  /** The resource of this jar that creates the inbox's tables: plain SQL. */
  public String script() {
    return "dev/onceward/dedupe/" + script;
  }
}
