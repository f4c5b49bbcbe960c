package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.Database;
import java.util.List;
import java.util.Optional;

/**
 * Settings of an inbox that not every database can keep. One that was asked for and cannot be kept
 * is refused, never left out in silence.
 *
 * @param asked the builder's methods by which they were asked for
 */
public record Demands(List<String> asked) {
  public static final String BOUND_SETTINGS = "boundSettings";
  public static final String LOCK_TIMEOUT = "lockTimeout";
  public static final String IDLE_TIMEOUT = "idleTimeout";
  public static final String ISOLATION = "isolation";

  /** That level only. */
  public static final String SERIALIZABLE = "isolation(SERIALIZABLE)";

  public static final String HYGIENE = "hygiene";

  public Demands {
    asked = List.copyOf(asked);
  }

  /** What is wrong on that database, and the fix, in one line; empty when all can be kept. */
  public Optional<String> refusal(Database database) {
    return asked.stream().flatMap(name -> refusal(name, database).stream()).findFirst();
  }

  private static Optional<String> refusal(String name, Database database) {
    return switch (database) {
      case POSTGRESQL -> Optional.empty();
      case MYSQL, MARIADB ->
          name.equals(ISOLATION)
              ? Optional.empty()
              : Optional.of(because(name, database) + onMySql(name, database));
      case H2 -> Optional.of(because(name, database) + onH2(name));
    };
  }

  private static String because(String name, Database database) {
    return "JdbcInbox.builder(...)." + name + " cannot be kept on " + database.productName() + ", ";
  }

  private static String onMySql(String name, Database database) {
    return switch (name) {
      case LOCK_TIMEOUT ->
          "which has no lock timeout of a transaction; remove it and set one for the data source's"
              + " sessions, in its URL: sessionVariables=innodb_lock_wait_timeout=10";
      case IDLE_TIMEOUT ->
          "which has no idle timeout of a transaction; remove it"
              + (database == Database.MARIADB
                  ? " and set one for the data source's sessions, in its URL:"
                      + " sessionVariables=idle_transaction_timeout=60"
                  : " and set one for the data source's idle sessions, in its URL:"
                      + " sessionVariables=wait_timeout=600");
      case SERIALIZABLE ->
          "where each query locks what it reads, so that owners of partitions would wait for"
              + " handlers; use REPEATABLE_READ, or remove it";
      default -> postgresOnly(name);
    };
  }

  private static String onH2(String name) {
    return switch (name) {
      case LOCK_TIMEOUT ->
          "which has no lock timeout of a transaction; remove it and set one for the data source's"
              + " sessions, in its URL: ;LOCK_TIMEOUT=10000";
      case IDLE_TIMEOUT -> "which has no idle timeout; remove it";
      case ISOLATION, SERIALIZABLE ->
          "where it is a setting of the session; remove it and set it for the data source's"
              + " sessions";
      default -> postgresOnly(name);
    };
  }

  private static String postgresOnly(String name) {
    return name.equals(HYGIENE)
        ? "whose sessions it cannot check; remove it, or set ConnectionHygiene.off()"
        : "which has no settings of a transaction; remove it";
  }
}
