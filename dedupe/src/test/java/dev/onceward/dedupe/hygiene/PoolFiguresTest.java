package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.Events;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PoolFiguresTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @Test
  void whoeverWaitsLongForAConnectionOfAFullPoolMakesItSaturated() throws Exception {
    try (HikariDataSource pool = DATABASE.pool(1)) {
      JdbcInbox inbox = JdbcInbox.on(pool);
      assertThat(inbox.process(event("e0"), Events.charge("alice", 1)))
          .isEqualTo(InboxOutcome.APPLIED);
      FutureTask<InboxOutcome> waits;
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isClosed()).isFalse();
        assertThat(figures(inbox).isSaturated()).isFalse();
        waits = inBackground(() -> inbox.process(event("e1"), Events.charge("alice", 1)));
        await().until(() -> figures(inbox).isSaturated());
        PoolFigures figures = figures(inbox);
        assertThat(figures.usage()).contains(new PoolUsage(1, 1, 1));
        assertThat(figures.waiting()).isOne();
        assertThat(figures.currentWait()).isGreaterThanOrEqualTo(PoolFigures.SATURATED_AFTER);
        assertThat(figures.acquired()).isOne();
      }
      assertThat(waits.get()).isEqualTo(InboxOutcome.APPLIED);
      PoolFigures after = figures(inbox);
      assertThat(after.isSaturated()).isFalse();
      assertThat(after.waiting()).isZero();
      assertThat(after.acquired()).isEqualTo(2);
      assertThat(after.failed()).isZero();
      assertThat(after.longestWait()).isGreaterThanOrEqualTo(PoolFigures.SATURATED_AFTER);
      assertThat(after.totalWait()).isGreaterThanOrEqualTo(after.longestWait());
    }
  }

  @Test
  void aWaitThatEndsWithoutAConnectionCountsAsFailed() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setDataSource(DATABASE.plain());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcInbox inbox = JdbcInbox.on(pool);
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isClosed()).isFalse();
        assertThatThrownBy(() -> inbox.process(event("e2"), Events.charge("alice", 1)))
            .isInstanceOf(InboxUnavailableException.class);
      }
      assertThat(figures(inbox).failed()).isOne();
      assertThat(figures(inbox).acquired()).isZero();
      assertThat(figures(inbox).totalWait()).isGreaterThan(Duration.ofMillis(200));
    }
  }

  @Test
  void aPoolThatIsNotFullIsNotSaturatedWhoeverWaits() {
    Duration long_ = Duration.ofSeconds(5);
    assertThat(waiting(long_, Optional.of(new PoolUsage(9, 10, 1))).isSaturated()).isFalse();
    assertThat(waiting(long_, Optional.of(new PoolUsage(10, 10, 1))).isSaturated()).isTrue();
    assertThat(waiting(long_, Optional.empty()).isSaturated()).isTrue();
    assertThat(waiting(Duration.ofMillis(999), Optional.empty()).isSaturated()).isFalse();
  }

  private static PoolFigures waiting(Duration current, Optional<PoolUsage> usage) {
    return new PoolFigures(0, 0, Duration.ZERO, Duration.ZERO, 1, current, usage);
  }

  @Test
  void theUsageOfOtherPoolsIsToldByTheUserAndThatOfNoPoolIsUnknown() {
    assertThat(figures(JdbcInbox.on(DATABASE.plain())).usage()).isEmpty();
    JdbcInbox inbox =
        JdbcInbox.builder(DATABASE.plain()).poolUsage(() -> new PoolUsage(3, 8, 0)).build();
    assertThat(figures(inbox).usage()).contains(new PoolUsage(3, 8, 0));
    assertThatThrownBy(() -> new PoolUsage(-1, 8, 0)).hasMessageContaining("negative");
  }

  @Test
  void theSizeOfAPoolIsItsShareOfWhatTheServerHas() throws SQLException {
    assertThat(PoolSize.of(100, 10, 4, 1)).isEqualTo(18);
    assertThat(PoolSize.of(100, 10, 4, 0)).isEqualTo(22);
    assertThat(PoolSize.of(Integer.MAX_VALUE, 0, 1, Integer.MAX_VALUE - 1)).isOne();
    // of the test's server: 120, less 3 for superusers and 0 reserved
    assertThat(PoolSize.onServer(DATABASE.plain(), 17, 4, 1)).isEqualTo(20);
  }

  @Test
  void figuresThatLeaveNothingForAPoolAreRefusedWithTheReason() {
    assertThatThrownBy(() -> PoolSize.of(100, 97, 4, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max_connections 100 less 97 reserved, shared by 4 replicas")
        .hasMessageContaining("raise max_connections");
    assertThatThrownBy(() -> PoolSize.of(100, 200, 1, 0)).hasMessageContaining("no connection");
    assertThatThrownBy(() -> PoolSize.of(0, 0, 1, 0)).hasMessageContaining("maxConnections");
    assertThatThrownBy(() -> PoolSize.of(100, -1, 1, 0)).hasMessageContaining("reserved");
    assertThatThrownBy(() -> PoolSize.of(100, 0, 0, 0)).hasMessageContaining("replicas");
    assertThatThrownBy(() -> PoolSize.of(100, 0, 1, -1)).hasMessageContaining("surge");
    assertThatThrownBy(() -> PoolSize.onServer(DATABASE.plain(), -1, 1, 0))
        .hasMessageContaining("reserved");
  }

  private static PoolFigures figures(JdbcInbox inbox) {
    return inbox.pool().orElseThrow();
  }

  private static <T> FutureTask<T> inBackground(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "waits");
    thread.setDaemon(true);
    thread.start();
    return task;
  }
}
