package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import java.io.StringReader;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.PgConnection;

class GuardedConnectionTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute("TRUNCATE ledger, state, onceward_processed_event");
  }

  interface Call {
    void on(Connection tx) throws Exception;
  }

  static Stream<Map.Entry<String, Call>> endings() {
    return Stream.of(
        Map.entry("commit()", Connection::commit),
        Map.entry("rollback()", Connection::rollback),
        Map.entry("close()", Connection::close),
        Map.entry("abort()", tx -> tx.abort(Runnable::run)),
        Map.entry("setAutoCommit(true)", tx -> tx.setAutoCommit(true)),
        Map.entry("COMMIT", tx -> tx.prepareStatement("COMMIT")),
        Map.entry("END", tx -> tx.prepareCall("END")),
        Map.entry("ROLLBACK", tx -> tx.createStatement().addBatch("ROLLBACK")),
        Map.entry("ABORT", tx -> tx.createStatement().executeUpdate("ABORT", 1)));
  }

  @ParameterizedTest
  @MethodSource("endings")
  void callsThatEndTheTransactionAreRefusedWithTheFix(Map.Entry<String, Call> ending)
      throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "alice", 1);
                      ending.getValue().on(tx);
                    }))
        .isInstanceOf(SQLException.class)
        .hasMessageStartingWith(ending.getKey() + " is refused")
        .hasMessageContaining("return from the handler to commit");
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isZero();
  }

  static Stream<Map.Entry<String, Call>> sessionChanges() {
    return Stream.of(
        Map.entry("SET", tx -> tx.createStatement().execute("SET search_path = pg_catalog")),
        Map.entry("RESET", tx -> tx.prepareStatement("RESET ALL")),
        Map.entry("LISTEN", tx -> tx.createStatement().addBatch("LISTEN x")),
        Map.entry("setReadOnly()", tx -> tx.setReadOnly(true)),
        Map.entry("setSchema()", tx -> tx.setSchema("pg_catalog")),
        Map.entry("setCatalog()", tx -> tx.setCatalog("postgres")),
        Map.entry(
            "setTransactionIsolation()",
            tx -> tx.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)),
        Map.entry("setClientInfo()", tx -> tx.setClientInfo("ApplicationName", "x")),
        Map.entry("setNetworkTimeout()", tx -> tx.setNetworkTimeout(Runnable::run, 5)),
        Map.entry("setHoldability()", tx -> tx.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT)));
  }

  @ParameterizedTest
  @MethodSource("sessionChanges")
  void callsThatOutliveTheTransactionAreRefusedWithTheFix(Map.Entry<String, Call> change) {
    assertThatThrownBy(() -> inbox.process(event("e1"), tx -> change.getValue().on(tx)))
        .hasMessageStartingWith(change.getKey() + " is refused")
        .hasMessageContaining("SET LOCAL");
  }

  @Test
  void whatLibrariesAskOfAConnectionWorks() throws Exception {
    assertThat(
            inbox.process(
                event("e1"),
                tx -> {
                  tx.setAutoCommit(false);
                  assertThat(tx.getAutoCommit()).isFalse();
                  assertThat(tx.isClosed()).isFalse();
                  assertThat(tx.isValid(5)).isTrue();
                  assertThat(tx.isReadOnly()).isFalse();
                  assertThat(tx.getSchema()).isEqualTo("public");
                  assertThat(tx.equals(tx)).isTrue();
                  assertThat(tx.hashCode()).isEqualTo(System.identityHashCode(tx));
                  assertThat(tx.toString()).startsWith("guarded ");
                  assertThat(tx.createArrayOf("int", new Object[] {1, 2}).getArray())
                      .isEqualTo(new Integer[] {1, 2});
                  try (CallableStatement call = tx.prepareCall("{? = call abs(?)}")) {
                    call.registerOutParameter(1, java.sql.Types.INTEGER);
                    call.setInt(2, -5);
                    call.execute();
                    assertThat(call.getInt(1)).isEqualTo(5);
                  }
                  try (PreparedStatement insert =
                      tx.prepareStatement(
                          "INSERT INTO ledger (account, amount) VALUES (?, ?)",
                          Statement.RETURN_GENERATED_KEYS)) {
                    insert.setString(1, "COMMIT; BEGIN");
                    insert.setLong(2, 1);
                    insert.executeUpdate();
                    try (ResultSet keys = insert.getGeneratedKeys()) {
                      assertThat(keys.next()).isTrue();
                      assertThat(keys.getLong(1)).isPositive();
                    }
                  }
                }))
        .isEqualTo(APPLIED);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void noWayLeadsBackToTheRawConnection() throws Exception {
    inbox.process(
        event("e1"),
        tx -> {
          Statement statement = tx.createStatement();
          PreparedStatement prepared = tx.prepareStatement("SELECT 1");
          DatabaseMetaData metaData = tx.getMetaData();
          ResultSet rows = prepared.executeQuery();
          assertThat(statement.getConnection()).isSameAs(tx);
          assertThat(prepared.getConnection()).isSameAs(tx);
          assertThat(rows.getStatement()).isSameAs(prepared);
          assertThat(metaData.getConnection()).isSameAs(tx);
          try (ResultSet tables = metaData.getTables(null, "public", "ledger", null)) {
            assertThat(tables.next()).isTrue();
            assertThat(tables.getStatement().getConnection()).isSameAs(tx);
          }
          ResultSet direct = statement.executeQuery("SELECT 1");
          assertThat(direct.getStatement().getConnection()).isSameAs(tx);
          assertThat(statement.getResultSet().getStatement()).isSameAs(statement);
          for (Class<?> type : List.of(BaseConnection.class, PgConnection.class)) {
            assertThat(tx.isWrapperFor(type)).isFalse();
            assertThatThrownBy(() -> tx.unwrap(type))
                .hasMessageContaining("cannot unwrap " + type.getName());
          }
          assertThat(tx.unwrap(Connection.class)).isSameAs(tx);
          assertThat(statement.unwrap(Statement.class)).isSameAs(statement);
          assertThatThrownBy(() -> statement.unwrap(org.postgresql.core.BaseStatement.class))
              .hasMessageContaining("cannot unwrap");
        });
  }

  @Test
  void theDriversCopyApiCanBeUsed() throws Exception {
    inbox.process(
        event("e1"),
        tx -> {
          PGConnection pg = tx.unwrap(PGConnection.class);
          assertThat(tx.isWrapperFor(PGConnection.class)).isTrue();
          assertThat(pg).isNotInstanceOf(Connection.class);
          pg.getCopyAPI()
              .copyIn(
                  "COPY ledger (account, amount) FROM STDIN",
                  new StringReader("alice\t1\nbob\t2\n"));
        });

    assertThat(DATABASE.number("SELECT sum(amount) FROM ledger")).isEqualTo(3);
  }

  @Test
  void afterTheEffectNothingOfTheConnectionCanBeUsed() throws Exception {
    List<Call> uses = new ArrayList<>();
    List<PGConnection> drivers = new ArrayList<>();
    List<Connection> kept = new ArrayList<>();
    inbox.process(
        event("e1"),
        tx -> {
          kept.add(tx);
          Statement statement = tx.createStatement();
          PreparedStatement prepared = tx.prepareStatement("SELECT 1");
          ResultSet rows = prepared.executeQuery();
          PGConnection pg = tx.unwrap(PGConnection.class);
          uses.add(Connection::createStatement);
          uses.add(c -> c.prepareStatement("SELECT 1"));
          uses.add(Connection::commit);
          uses.add(Connection::getMetaData);
          uses.add(c -> c.unwrap(PGConnection.class));
          uses.add(c -> statement.execute("SELECT 1"));
          uses.add(c -> statement.getConnection());
          uses.add(c -> prepared.executeQuery());
          uses.add(c -> rows.next());
          uses.add(c -> pg.getNotifications());
          drivers.add(pg);
          uses.add(c -> c.setClientInfo("ApplicationName", "x"));
        });

    for (Call use : uses) {
      assertThatThrownBy(() -> use.on(kept.get(0)))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("use it only inside the handler");
    }
    assertThat(kept.get(0).isClosed()).isTrue();
    kept.get(0).close();
    assertThatThrownBy(drivers.get(0)::getBackendPID)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("use it only inside the handler");
  }

  @Test
  void statementsLeftOpenAreClosedAndClosedOnesAreForgotten() throws Exception {
    List<Statement> raw = new ArrayList<>();
    WatchedDataSource tracking =
        new WatchedDataSource(() -> Connections.recording(DATABASE.plain().getConnection(), raw));
    List<Statement> guarded = new ArrayList<>();

    JdbcInbox.builder(tracking)
        .hygiene(ConnectionHygiene.off()) // its checks are statements too
        .build()
        .process(
            event("e1"),
            tx -> {
              raw.clear(); // the inbox's own
              guarded.add(tx.createStatement());
              guarded.add(tx.prepareStatement("SELECT 1"));
              guarded.add(tx.prepareCall("{call now()}"));
              try (Statement closed = tx.createStatement()) {
                guarded.add(closed);
              }
            });

    assertThat(raw).hasSize(4);
    for (Statement statement : raw) {
      assertThat(statement.isClosed()).isTrue();
    }
    for (Statement statement : guarded) {
      assertThat(statement.isClosed()).isTrue();
      statement.close();
    }
  }

  @Test
  void anEffectThatThrowsLosesTheConnectionToo() {
    List<Connection> kept = new ArrayList<>();

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      kept.add(tx);
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> kept.get(0).createStatement())
        .hasMessageContaining("use it only inside the handler");
  }
}
