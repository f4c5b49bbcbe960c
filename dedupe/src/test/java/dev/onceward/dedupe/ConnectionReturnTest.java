package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

class ConnectionReturnTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute("TRUNCATE ledger, state, onceward_processed_event");
    pool = DATABASE.pool(1);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConnectionGoesBackAsItCameAfterEveryOutcome(boolean autoCommit) throws Exception {
    // The crudest pool: one connection that nobody resets.
    try (Connection raw = DATABASE.plain().getConnection()) {
      raw.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      raw.setAutoCommit(autoCommit);
      JdbcInbox inbox =
          JdbcInbox.builder(new WatchedDataSource(() -> Connections.uncloseable(raw)))
              .isolation(TransactionIsolation.SERIALIZABLE)
              .build();

      inbox.createSchema();
      assertReturned(raw, autoCommit);
      inbox.verify(java.time.Duration.ofSeconds(30));
      assertReturned(raw, autoCommit);
      assertThat(inbox.process(event("e1"), charge("alice", 1))).isEqualTo(APPLIED);
      assertReturned(raw, autoCommit);
      assertThat(inbox.process(event("e1"), charge("alice", 1))).isEqualTo(DUPLICATE);
      assertReturned(raw, autoCommit);
      assertThatThrownBy(() -> inbox.process(event("e2"), Events.sql("SELECT 1/0")))
          .isInstanceOf(SQLException.class);
      assertReturned(raw, autoCommit);
      inbox.maintain();
      assertReturned(raw, autoCommit);
    }
  }

  private static void assertReturned(Connection raw, boolean autoCommit) throws SQLException {
    assertThat(raw.unwrap(BaseConnection.class).getTransactionState())
        .isEqualTo(TransactionState.IDLE);
    assertThat(raw.getAutoCommit()).isEqualTo(autoCommit);
    assertThat(raw.isReadOnly()).isFalse();
    assertThat(raw.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
    if (!autoCommit) {
      raw.rollback(); // asking for the level has begun a transaction
    }
  }

  @Test
  void aPoolOfOneServesEveryOutcomeAgainAndAgain() throws Exception {
    JdbcInbox inbox = JdbcInbox.on(pool);
    for (int i = 0; i < 20; i++) {
      String id = "e" + i;
      assertThatThrownBy(
              () ->
                  inbox.process(
                      event(id),
                      tx -> {
                        Events.insert(tx, "alice", 1);
                        throw new IllegalStateException("no");
                      }))
          .isInstanceOf(IllegalStateException.class);
      assertThat(inbox.process(event(id), charge("alice", 1))).isEqualTo(APPLIED);
      assertThat(inbox.process(event(id), charge("alice", 1))).isEqualTo(DUPLICATE);
    }
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isEqualTo(20);
  }

  @Test
  void aPoolThatHandsOutConnectionsWithoutAutocommitWorks() throws Exception {
    pool.close();
    com.zaxxer.hikari.HikariConfig config = new com.zaxxer.hikari.HikariConfig();
    config.setDataSource(DATABASE.plain());
    config.setAutoCommit(false);
    config.setMaximumPoolSize(1);
    pool = new HikariDataSource(config);
    JdbcInbox inbox = JdbcInbox.on(pool);

    assertThat(inbox.process(event("e1"), charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(event("e1"), charge("alice", 1))).isEqualTo(DUPLICATE);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void aConnectionWithAForeignTransactionIsRefusedAndLeftAlone() throws Exception {
    try (Connection raw = DATABASE.plain().getConnection()) {
      raw.setAutoCommit(false);
      Events.insert(raw, "foreign", 1);
      JdbcInbox inbox = JdbcInbox.on(new WatchedDataSource(() -> Connections.uncloseable(raw)));

      assertThatThrownBy(() -> inbox.process(event("e1"), charge("alice", 1)))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("a transaction is open already")
          .hasMessageContaining("plain data source");
      assertThatThrownBy(() -> inbox.maintain())
          .hasMessageContaining("a transaction is open already");
      raw.commit();
    }
    assertThat(DATABASE.texts("SELECT account FROM ledger")).containsExactly("foreign");
  }

  @Test
  void aConnectionThatBrokeIsReplacedByThePool() throws Exception {
    JdbcInbox inbox = JdbcInbox.on(pool);

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      Events.insert(tx, "alice", 1);
                      int backend = tx.unwrap(PGConnection.class).getBackendPID();
                      DATABASE.execute("SELECT pg_terminate_backend(" + backend + ", 5000)");
                    }))
        .isInstanceOf(InboxUnavailableException.class);

    assertThat(inbox.process(event("e1"), charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }
}
