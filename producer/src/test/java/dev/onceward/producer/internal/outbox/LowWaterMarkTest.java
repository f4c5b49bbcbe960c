package dev.onceward.producer.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.dedupe.internal.TableNames;
import dev.onceward.producer.outbox.OutboxAdmin;
import dev.onceward.producer.outbox.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LowWaterMarkTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  /** As {@link Append} does it: an id first, a number then. */
  private static final String DRAW =
      "WITH x AS MATERIALIZED (SELECT pg_current_xact_id() AS xid)"
          + " SELECT nextval('onceward_outbox_seq') FROM x";

  private final LowWaterMark mark =
      new LowWaterMark(new OutboxTables(new TableNames(null, "onceward_")));

  @BeforeAll
  static void createTables() {
    OutboxAdmin.on(DATABASE.dataSource()).createSchema();
  }

  @Test
  void noNumberIsSettledBeforeAllTransactionsThatHaveDrawnOneUpToItAreDone() throws Exception {
    try (Connection relay = DATABASE.dataSource().getConnection();
        Connection open = DATABASE.transaction();
        Connection quick = DATABASE.transaction()) {
      long late = draw(open);
      long early = draw(quick);
      quick.commit();
      assertThat(early).isGreaterThan(late);
      // many looks, and other transactions that come and go meanwhile
      for (int i = 0; i < 5; i++) {
        draw(quick);
        quick.commit();
        await().pollDelay(Duration.ofMillis(110)).until(() -> true);
        assertThat(mark.look(relay)).isLessThan(late);
      }
      open.commit();
      await()
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(110))
          .until(() -> mark.look(relay) >= early);
    }
  }

  @Test
  void theNextIdOfASnapshotWouldPassOverATransactionThatRuns() throws SQLException {
    try (Connection relay = DATABASE.dataSource().getConnection();
        Connection open = DATABASE.transaction()) {
      draw(open);
      // had this been taken as the limit, it would be reached at once
      assertThat(text(relay, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"))
          .isEqualTo(text(relay, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"));
      assertThat(
              Long.parseLong(text(open, "SELECT pg_current_xact_id()::text"))
                  - Long.parseLong(
                      text(relay, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text")))
          .isNotNegative();
    }
  }

  private static long draw(Connection connection) throws SQLException {
    return Long.parseLong(text(connection, DRAW));
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    }
  }
}
