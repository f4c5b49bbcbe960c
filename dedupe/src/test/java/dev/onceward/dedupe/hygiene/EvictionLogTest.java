package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.Events;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a pool logs when a dirty connection is taken out of it. */
class EvictionLogTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @Test
  void anEvictedConnectionIsClosedWithoutAWarningOfThePool() throws Exception {
    JdbcInbox.on(DATABASE.plain()).createSchema();
    PrintStream console = System.err;
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    try (HikariDataSource pool = DATABASE.pool(1)) {
      JdbcInbox inbox =
          JdbcInbox.builder(pool)
              .hygiene(ConnectionHygiene.builder().onLeak(OnLeak.EVICT).build())
              .build();
      inbox.process(event("e1"), Events.sql("SELECT pg_advisory_lock(1)"));
      inbox.process(event("e2"), tx -> {});
      assertThat(inbox.hygiene().orElseThrow().evictions()).isOne();
      await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == 1);
    } finally {
      System.setErr(console);
    }
    assertThat(told.toString(StandardCharsets.UTF_8))
        .contains("the connection is evicted")
        .doesNotContain("marked as broken")
        .doesNotContain("not borrowed");
  }
}
