package dev.onceward.dedupe;

/** Waits until statements wait. */
final class Blocked {
  private Blocked() {}

  static void await(TestDatabase database, int backends) {
    org.awaitility.Awaitility.await().until(() -> count(database) == backends);
  }

  private static long count(TestDatabase database) throws java.sql.SQLException {
    return database.number(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND datname = current_database()");
  }
}
