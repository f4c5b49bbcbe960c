package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.CuttableProxy.Cut;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

class ConnectionLossTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private CuttableProxy proxy;
  private JdbcInbox inbox;

  @BeforeAll
  static void createTables() throws Exception {
    Events.createLedger(DATABASE);
    JdbcInbox direct = JdbcInbox.on(DATABASE.plain());
    direct.createSchema();
    // Registers the handler: pgjdbc sends the text COMMIT only once on a connection.
    direct.process(event("e0"), tx -> {});
  }

  @BeforeEach
  void start() throws IOException, SQLException {
    DATABASE.execute("TRUNCATE ledger, state, onceward_processed_event");
    proxy = new CuttableProxy(DATABASE.port());
    PGSimpleDataSource dataSource = DATABASE.plain();
    dataSource.setPortNumbers(new int[] {proxy.port()});
    dataSource.setServerNames(new String[] {"127.0.0.1"});
    inbox = JdbcInbox.builder(dataSource).dataSourceName("billing-db").build();
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
  }

  @Test
  void aCommitWhoseAnswerIsLostIsReportedAndTheDedupeRowDecidesTheRetry() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      proxy.arm("COMMIT", Cut.AFTER_ANSWER);
                    }))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("billing-db")
        .hasMessageContaining("unknown whether it took effect")
        .message()
        .doesNotContain("\n");

    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(DUPLICATE);
    assertThat(DATABASE.number("SELECT sum(amount) FROM ledger")).isEqualTo(10);
  }

  @Test
  void aCommitThatNeverArrivedIsReportedAndTheRetryApplies() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      proxy.arm("COMMIT", Cut.BEFORE_SENDING);
                    }))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("unknown whether it took effect");

    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(APPLIED);
    assertThat(DATABASE.number("SELECT sum(amount) FROM ledger")).isEqualTo(10);
  }

  @Test
  void aConnectionLostWhileClaimingIsUnavailable() throws Exception {
    proxy.arm("onceward_processed_event", Cut.BEFORE_SENDING);

    assertThatThrownBy(() -> inbox.process(event("e1"), charge("alice", 10)))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("cannot claim event e1 in handler billing")
        .hasMessageContaining("08006");
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(APPLIED);
  }

  @Test
  void aConnectionLostInsideTheEffectIsTheEffectsOwnErrorUnchanged() throws Exception {
    proxy.arm("INSERT INTO ledger", Cut.BEFORE_SENDING);
    List<SQLException> seen = new java.util.ArrayList<>();

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      try {
                        insert(tx, "alice", 10);
                      } catch (SQLException e) {
                        seen.add(e);
                        throw e;
                      }
                    }))
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> {
              assertThat(seen).first().isSameAs(e);
              assertThat(e.getSQLState()).startsWith("08");
            });
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(APPLIED);
  }

  @Test
  void aConnectionLostInsideTheEffectAndSwallowedThereIsUnavailable() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      terminate(tx);
                      assertThatThrownBy(() -> insert(tx, "alice", 10))
                          .isInstanceOf(SQLException.class);
                    }))
        .isInstanceOf(InboxUnavailableException.class);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isZero();
  }

  @Test
  void aBackendTerminatedBeforeTheCommitIsReportedAndNothingIsCommitted() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 10);
                      terminate(tx);
                    }))
        .isInstanceOf(InboxUnavailableException.class);

    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(APPLIED);
  }

  @Test
  void aDatabaseThatIsDownIsUnavailableInOneLine() throws Exception {
    proxy.close();

    assertThatThrownBy(() -> inbox.process(event("e1"), charge("alice", 10)))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("billing-db")
        .hasMessageContaining("cannot get a connection")
        .hasMessageContaining("host and port")
        .message()
        .doesNotContain("\n");
  }

  private static void terminate(Connection tx) throws SQLException {
    int backend = tx.unwrap(PGConnection.class).getBackendPID();
    DATABASE.execute("SELECT pg_terminate_backend(" + backend + ", 5000)");
  }
}
