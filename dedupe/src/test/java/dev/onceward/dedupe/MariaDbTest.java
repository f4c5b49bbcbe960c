package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The inbox on MariaDB; skipped where there is none. */
class MariaDbTest {
  @RegisterExtension static final MariaDatabase DATABASE = new MariaDatabase();

  @Nested
  class Effects extends InboxContract {
    Effects() {
      super(DATABASE);
    }
  }

  @Nested
  class Batches extends BatchContract {
    Batches() {
      super(DATABASE);
    }
  }

  @Nested
  class Windows extends WindowContract {
    Windows() {
      super(DATABASE);
    }
  }

  @Nested
  class VersionModes extends VersionModesContract {
    VersionModes() {
      super(DATABASE);
    }
  }

  @Nested
  class Fences extends FenceContract {
    Fences() {
      super(DATABASE);
    }
  }

  @Nested
  class Concurrency extends ConcurrencyContract {
    Concurrency() {
      super(DATABASE);
    }
  }

  @Nested
  class Maintenance extends MaintainContract {
    Maintenance() {
      super(DATABASE);
    }
  }

  @Nested
  class Specifics extends PortableContract {
    Specifics() {
      super(DATABASE);
    }

    @Test
    void aDeadlockThatTheHandlerSwallowsIsRepeated() throws Exception {
      assertThat(
              crossed(
                  tx ->
                      assertThatThrownBy(() -> Events.execute(tx, CROSSING))
                          .hasMessageContaining("Deadlock")))
          .isEqualTo(InboxOutcome.APPLIED);
      assertThat(DATABASE.texts("SELECT account FROM ledger")).containsExactly("run 2");
    }

    @Test
    void aDeadlockThatAProcedureSwallowsIsNoticed() throws Exception {
      DATABASE.execute(
          "CREATE OR REPLACE PROCEDURE swallows() BEGIN DECLARE CONTINUE HANDLER FOR 1213 DO 0; "
              + CROSSING
              + "; END");

      assertThatThrownBy(() -> crossed(tx -> Events.execute(tx, "CALL swallows()")))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("ended under the handler");
      assertThat(DATABASE.texts("SELECT account FROM ledger")).isEmpty();
      assertThat(JdbcInbox.on(DATABASE.plain()).process(event("e1"), tx -> {}))
          .isEqualTo(InboxOutcome.APPLIED);
    }

    private static final String CROSSING = "UPDATE state SET amount = 2 WHERE name = 'b'";

    /** Runs an effect that deadlocks at its first attempt, in {@code last}. */
    private InboxOutcome crossed(Inbox.Effect last) throws Exception {
      DATABASE.execute("INSERT INTO state VALUES ('a', 0), ('b', 0)");
      JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());
      AtomicInteger runs = new AtomicInteger();
      try (Connection other = DATABASE.plain().getConnection()) {
        other.setAutoCommit(false);
        // more rows written, so that the effect is the victim
        Events.execute(other, "INSERT INTO state SELECT CONCAT('x', seq), 0 FROM seq_1_to_1000");
        Events.execute(other, "UPDATE state SET amount = 1 WHERE name = 'b'");
        return inbox.process(
            event("e1"),
            tx -> {
              Events.insert(tx, "run " + runs.incrementAndGet(), 1);
              if (runs.get() == 1) {
                Events.execute(tx, "UPDATE state SET amount = 2 WHERE name = 'a'");
                Future<?> crossing = threads().submit(() -> cross(other));
                DATABASE.awaitBlocked(1);
                last.apply(tx);
                crossing.get();
                Events.insert(tx, "after the rollback", 1);
              }
            });
      }
    }

    private void cross(Connection other) {
      try {
        Events.execute(other, "UPDATE state SET amount = 1 WHERE name = 'a'");
        other.rollback();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Test
    void aCommitInsideAProcedureIsNoticed() throws Exception {
      DATABASE.execute(
          "CREATE OR REPLACE PROCEDURE commits() BEGIN COMMIT; START TRANSACTION; END");

      assertThatThrownBy(
              () ->
                  JdbcInbox.on(DATABASE.plain()).process(event("e1"), Events.sql("CALL commits()")))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("ended under the handler");
    }

    @Test
    void aLockTimeoutIsRepeated() throws Exception {
      JdbcInbox impatient =
          JdbcInbox.builder(DATABASE.dataSource("&sessionVariables=innodb_lock_wait_timeout=1"))
              .transactionRetries(1)
              .build();
      InboxOutcome first =
          JdbcInbox.on(DATABASE.plain())
              .process(
                  event("e1"),
                  tx ->
                      assertThatThrownBy(() -> impatient.process(event("e1"), other -> {}))
                          .isInstanceOf(InboxUnavailableException.class)
                          .hasMessageContaining("another transaction kept hold")
                          .hasMessageContaining("transactionRetries"));

      assertThat(first).isEqualTo(InboxOutcome.APPLIED);
    }

    @Test
    void theTransactionOfAProcessThatIsFrozenIsEndedByTheLimitOfItsSession() throws Exception {
      JdbcInbox frozen =
          JdbcInbox.on(DATABASE.dataSource("&sessionVariables=idle_transaction_timeout=1"));
      assertThatThrownBy(
              () ->
                  frozen.process(
                      event("e1"),
                      tx -> {
                        Events.insert(tx, "frozen", 1);
                        assertThat(JdbcInbox.on(DATABASE.plain()).process(event("e1"), charge))
                            .isEqualTo(InboxOutcome.APPLIED);
                        assertThatThrownBy(() -> Events.insert(tx, "woken", 1))
                            .isInstanceOf(SQLException.class);
                      }))
          .isInstanceOf(InboxUnavailableException.class);

      assertThat(DATABASE.texts("SELECT account FROM ledger")).containsExactly("taken over");
    }

    private final Inbox.Effect charge = Events.charge("taken over", 1);

    @Test
    void aUserWithoutRightsIsToldWhichAreMissing() throws Exception {
      DATABASE.execute(
          "CREATE OR REPLACE USER reader@'%' IDENTIFIED BY 'x'",
          "GRANT SELECT ON " + DATABASE.name() + ".* TO reader@'%'");

      assertThatThrownBy(
              () ->
                  JdbcInbox.on(DATABASE.dataSource("&user=reader&password=x"))
                      .verify(Duration.ofSeconds(30)))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("grant the data source's user");
      assertThatThrownBy(
              () ->
                  JdbcInbox.on(DATABASE.dataSource("&sessionVariables=tx_read_only=1"))
                      .verify(Duration.ofSeconds(30)))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("make it writable");
    }

    @Test
    void aRowOfAnEventIsSmall() throws Exception {
      DATABASE.fill("onceward_processed_event", 50_000, 1);
      DATABASE.execute("ANALYZE TABLE onceward_processed_event");
      long bytes =
          DATABASE.number(
              "SELECT data_length + index_length FROM information_schema.tables WHERE table_schema"
                  + " = DATABASE() AND table_name = 'onceward_processed_event'");
      System.out.println("MariaDB: " + bytes / 50_000 + " bytes for each event");
      assertThat(bytes / 50_000).isLessThan(110);
    }
  }
}
