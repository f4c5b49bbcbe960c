package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.Inbox.Effect;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class CommitRefusalTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    DATABASE.execute(
        "CREATE TABLE parent (id int PRIMARY KEY);"
            + "CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute("TRUNCATE ledger, state, onceward_processed_event");
    DATABASE.execute("INSERT INTO state VALUES ('taken', 1)");
  }

  @Test
  void aSwallowedUniqueViolationCommitsNothingAndThrowsNamingIt() throws Exception {
    Effect effect =
        tx -> {
          insert(tx, "alice", 10);
          swallow(tx, "INSERT INTO state VALUES ('taken', 2)");
        };

    assertThatThrownBy(() -> inbox.process(event("e1"), effect))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("e1")
        .hasMessageContaining("billing")
        .hasMessageContaining("23505")
        .hasMessageContaining("savepoint")
        .message()
        .doesNotContain("\n");
    assertNothingCommitted();
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(APPLIED);
  }

  @Test
  void theCauseIsTheFirstErrorNotTheOnesThatFollowIt() {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      swallow(tx, "SELECT 1/0");
                      swallow(tx, "SELECT 2");
                      swallow(tx, "not even sql");
                    }))
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22012"));
  }

  @Test
  void anErrorOfABatchAPreparedStatementOrACopyIsNoticedToo() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      try (Statement statement = tx.createStatement()) {
                        statement.addBatch("INSERT INTO state VALUES ('free', 2)");
                        statement.addBatch("INSERT INTO state VALUES ('taken', 2)");
                        assertThatThrownBy(statement::executeBatch)
                            .isInstanceOf(BatchUpdateException.class);
                      }
                    }))
        .isInstanceOf(CommitRefusedException.class)
        .hasCauseInstanceOf(BatchUpdateException.class);
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      PGConnection pg = tx.unwrap(PGConnection.class);
                      assertThatThrownBy(() -> pg.getCopyAPI().copyIn("COPY nowhere FROM STDIN"))
                          .isInstanceOf(SQLException.class);
                    }))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("not observed");
    assertNothingCommitted();
  }

  @Test
  void anErrorUndoneByASavepointCommits() throws Exception {
    assertThat(
            inbox.process(
                event("e1"),
                tx -> {
                  insert(tx, "alice", 10);
                  Savepoint savepoint = tx.setSavepoint("before");
                  swallow(tx, "INSERT INTO state VALUES ('taken', 2)");
                  tx.rollback(savepoint);
                  tx.releaseSavepoint(savepoint);
                }))
        .isEqualTo(APPLIED);

    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void afterASavepointUndidOneErrorTheNextOneIsTheCause() {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      execute(tx, "SAVEPOINT a");
                      swallow(tx, "INSERT INTO state VALUES ('taken', 2)");
                      execute(tx, "ROLLBACK TO SAVEPOINT a");
                      swallow(tx, "SELECT 1/0");
                    }))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("22012");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "commit and chain",
        "/* c */ -- d\n END",
        "ABORT",
        "ROLLBACK",
        "COMMIT; BEGIN",
        "SELECT 1; COMMIT; BEGIN",
        "BEGIN",
        "PREPARE TRANSACTION 'x'"
      })
  void textThatEndsTheTransactionIsRefusedBeforeItIsSent(String sql) throws Exception {
    Effect effect =
        tx -> {
          insert(tx, "alice", 10);
          execute(tx, sql);
        };

    assertThatThrownBy(() -> inbox.process(event("e1"), effect))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("refused")
        .hasMessageContaining("throw an exception to roll back");
    assertNothingCommitted();

    Effect swallowing =
        tx -> {
          insert(tx, "alice", 10);
          swallow(tx, sql);
        };
    assertThatThrownBy(() -> inbox.process(event("e1"), swallowing))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("swallowed the refusal");
    assertNothingCommitted();
  }

  @Test
  void aTransactionEndedPastTheGuardIsNoticed() throws Exception {
    WatchedDataSource watched = new WatchedDataSource(DATABASE.plain()::getConnection);
    JdbcInbox leaky = JdbcInbox.on(watched);

    assertThatThrownBy(
            () ->
                leaky.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      watched.last().rollback();
                    }))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("ended under the handler");
    assertNothingCommitted();
  }

  @Test
  void aProcedureThatCommitsFailsInTheHandler() throws Exception {
    assertThatThrownBy(() -> inbox.process(event("e1"), Events.sql("DO $$ BEGIN COMMIT; END $$")))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("2D000"));
    assertNothingCommitted();
  }

  @Test
  void aSwallowedRollbackCommitsNothing() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      assertThatThrownBy(tx::rollback).hasMessageContaining("rollback()");
                    }))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("rollback()");
    assertNothingCommitted();
  }

  @Test
  void aDeferredConstraintBrokenAtCommitIsThrownUnchanged() throws Exception {
    assertThatThrownBy(() -> inbox.process(event("e1"), Events.sql("INSERT INTO child VALUES (1)")))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23503"));
    assertNothingCommitted();
  }

  private static void swallow(Connection tx, String sql) {
    assertThatThrownBy(() -> execute(tx, sql)).isInstanceOf(SQLException.class);
  }

  private static void assertNothingCommitted() throws SQLException {
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM child")).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isZero();
  }
}
