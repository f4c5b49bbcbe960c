package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TransactionRetryTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute("TRUNCATE ledger, onceward_processed_event");
  }

  @AfterEach
  void stop() {
    thread.shutdownNow();
  }

  @Test
  void aRepeatableFailureWrappedOrSwallowedByTheHandlerIsRepeated() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    InboxOutcome outcome =
        JdbcInbox.on(DATABASE.plain())
            .process(
                event("e1"),
                tx -> {
                  insert(tx, "alice", 1);
                  switch (runs.incrementAndGet()) {
                    case 1 -> throw new IllegalStateException(new SQLException("wrapped", "40001"));
                    case 2 ->
                        assertThatThrownBy(() -> raise(tx, "40P01"))
                            .isInstanceOf(SQLException.class);
                    default -> {}
                  }
                });

    assertThat(outcome).isEqualTo(APPLIED);
    assertThat(runs).hasValue(3);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void repeatsEndAtTheMaximumWithTheLastFailureUnchanged() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    List<SQLException> failures = new ArrayList<>();
    JdbcInbox inbox =
        JdbcInbox.builder(DATABASE.plain())
            .transactionRetries(3)
            .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
            .build();

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      runs.incrementAndGet();
                      failures.add(new SQLException("conflict", "40001"));
                      throw failures.get(failures.size() - 1);
                    }))
        .isSameAs(failures.get(3));
    assertThat(runs).hasValue(4);
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isZero();
  }

  @Test
  void otherFailuresAreNotRepeated() {
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                JdbcInbox.on(DATABASE.plain())
                    .process(
                        event("e1"),
                        tx -> {
                          runs.incrementAndGet();
                          Events.execute(tx, "SELECT 1/0");
                        }))
        .isInstanceOf(SQLException.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  void anInterruptEndsTheWaitBeforeARepeat() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    JdbcInbox patient =
        JdbcInbox.builder(DATABASE.plain())
            .transactionRetries(Integer.MAX_VALUE)
            .retryBackoff(Duration.ofHours(1), Duration.ofHours(1))
            .build();
    Future<InboxOutcome> future =
        thread.submit(
            () ->
                patient.process(
                    event("e1"),
                    tx -> {
                      failed.countDown();
                      throw new SQLException("conflict", "40001");
                    }));
    failed.await();
    thread.shutdownNow();

    assertThatThrownBy(future::get).hasCauseInstanceOf(InterruptedException.class);
  }

  private static void raise(java.sql.Connection tx, String state) throws SQLException {
    Events.execute(tx, "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" + state + "'; END $$");
  }
}
