package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.put;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

class ConcurrencyTest extends ConcurrencyContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  ConcurrencyTest() {
    super(DATABASE);
  }

  @Test
  void lostUpdatesAreRepeatedUnderTheDataSourcesOwnSerializableLevel() throws Exception {
    PGSimpleDataSource serializable = DATABASE.plain();
    serializable.setOptions("-c default_transaction_isolation=serializable");
    JdbcInbox inbox =
        JdbcInbox.builder(DATABASE.pool(THREADS, serializable))
            .transactionRetries(1_000)
            .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(20))
            .build();
    DATABASE.execute("INSERT INTO state VALUES ('counter', 0)");
    List<Callable<InboxOutcome>> work = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String id = "e" + i;
      work.add(
          () ->
              inbox.process(
                  event(id),
                  tx -> {
                    try (var statement = tx.createStatement();
                        var row =
                            statement.executeQuery(
                                "SELECT amount, current_setting('transaction_isolation')"
                                    + " FROM state WHERE name = 'counter'")) {
                      row.next();
                      assertThat(row.getString(2)).isEqualTo("serializable");
                      put(DATABASE, "counter", row.getLong(1) + 1).apply(tx);
                    }
                  }));
    }
    runAll(work);

    assertThat(DATABASE.number("SELECT amount FROM state")).isEqualTo(60);
  }

  @Test
  void aDuplicateWaitsNoLongerThanTheLockTimeoutAndItsRepeats() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    JdbcInbox impatient =
        JdbcInbox.builder(DATABASE.plain())
            .lockTimeout(Duration.ofMillis(50))
            .transactionRetries(2)
            .build();
    Future<InboxOutcome> first = slow(JdbcInbox.on(DATABASE.plain()), finish, null);

    assertThatThrownBy(() -> impatient.process(event("e1"), charge("second", 1)))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("e1")
        .hasMessageContaining("55P03")
        .hasMessageContaining("lockTimeout");
    finish.countDown();
    assertThat(first.get()).isEqualTo(APPLIED);
    assertThat(impatient.process(event("e1"), charge("second", 1))).isEqualTo(DUPLICATE);
  }

  @Test
  void theLockTimeoutHoldsForTheEffectAndEndsWithIt() throws Exception {
    DataSource pool = DATABASE.pool(1);
    JdbcInbox inbox = JdbcInbox.builder(pool).lockTimeout(Duration.ofMillis(1234)).build();

    for (InboxEntry entry :
        List.of(event("e1"), event("e1").withIdempotency(InboxEntry.Idempotency.NONE))) {
      inbox.process(
          entry,
          tx -> {
            try (var statement = tx.createStatement();
                var row = statement.executeQuery("SHOW lock_timeout")) {
              row.next();
              assertThat(row.getString(1)).isEqualTo("1234ms");
            }
          });
    }
    try (var connection = pool.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery("SHOW lock_timeout")) {
      row.next();
      assertThat(row.getString(1)).isEqualTo("0");
    }
  }
}
