package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** A driver that undoes a failed statement by itself hides that the transaction is not whole. */
class AutosaveTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @BeforeEach
  void createTables() throws SQLException {
    JdbcInbox.on(DATABASE.plain()).createSchema();
    DATABASE.execute(
        "DROP TABLE IF EXISTS once; CREATE TABLE once (i int PRIMARY KEY);"
            + " TRUNCATE onceward_processed_event");
  }

  @Test
  void aSwallowedErrorCommitsNothingAlsoWhenTheDriverHasUndoneItsStatement() throws Exception {
    try (HikariDataSource pool = pool(AutoSave.ALWAYS)) {
      JdbcInbox inbox = JdbcInbox.on(pool);
      assertThatThrownBy(() -> inbox.process(event("e1"), AutosaveTest::insertTwice))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("the handler swallowed the error");
      assertThatThrownBy(() -> inbox.process(event("e1"), AutosaveTest::insertTwiceInABatch))
          .isInstanceOf(CommitRefusedException.class);
      assertThat(DATABASE.number("SELECT count(*) FROM once")).isZero();
      assertThat(inbox.process(event("e1"), tx -> execute(tx, "INSERT INTO once VALUES (1)")))
          .isEqualTo(APPLIED);
    }
  }

  @Test
  void anErrorThatTheHandlerHasUndoneItselfHindersNothing() throws Exception {
    try (HikariDataSource pool = pool(AutoSave.ALWAYS)) {
      assertThat(
              JdbcInbox.on(pool)
                  .process(
                      event("e1"),
                      tx -> {
                        Savepoint savepoint = tx.setSavepoint();
                        insertTwice(tx);
                        tx.rollback(savepoint);
                        execute(tx, "INSERT INTO once VALUES (2)");
                      }))
          .isEqualTo(APPLIED);
      assertThat(DATABASE.number("SELECT sum(i) FROM once")).isEqualTo(2);
    }
  }

  @Test
  void aHandlerCanNotSetTheDriverForThoseAfterIt() throws Exception {
    try (HikariDataSource pool = pool(AutoSave.NEVER)) {
      JdbcInbox inbox = JdbcInbox.on(pool);
      assertThatThrownBy(
              () ->
                  inbox.process(
                      event("e1"),
                      tx -> tx.unwrap(PGConnection.class).setAutosave(AutoSave.ALWAYS)))
          .hasMessageContaining("setAutosave() of the driver's connection is refused");
      assertThatThrownBy(
              () ->
                  inbox.process(
                      event("e1"), tx -> tx.unwrap(PGConnection.class).setDefaultFetchSize(1)))
          .hasMessageContaining("setDefaultFetchSize()");
      try (Connection next = pool.getConnection()) {
        assertThat(next.unwrap(PGConnection.class).getAutosave()).isEqualTo(AutoSave.NEVER);
      }
    }
  }

  private static HikariDataSource pool(AutoSave autosave) {
    PGSimpleDataSource plain = DATABASE.plain();
    plain.setAutosave(autosave);
    HikariConfig config = new HikariConfig();
    config.setDataSource(plain);
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }

  private static void insertTwice(Connection tx) throws SQLException {
    execute(tx, "INSERT INTO once VALUES (1)");
    assertThatThrownBy(() -> execute(tx, "INSERT INTO once VALUES (1)"))
        .isInstanceOf(SQLException.class);
  }

  private static void insertTwiceInABatch(Connection tx) throws SQLException {
    try (Statement statement = tx.createStatement()) {
      statement.addBatch("INSERT INTO once VALUES (1)");
      statement.addBatch("INSERT INTO once VALUES (1)");
      assertThatThrownBy(statement::executeBatch).isInstanceOf(SQLException.class);
    }
  }
}
