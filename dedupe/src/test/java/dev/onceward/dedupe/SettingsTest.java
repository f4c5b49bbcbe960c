package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** What the first statement sets for the transaction. */
class SettingsTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createTables() throws SQLException {
    JdbcInbox.on(DATABASE.plain()).createSchema();
    DATABASE.execute(
        "CREATE ROLE settings_tenants LOGIN; CREATE TABLE note (tenant text, body text);"
            + "ALTER TABLE note ENABLE ROW LEVEL SECURITY;"
            + "CREATE POLICY own ON note USING (tenant = current_setting('app.tenant_id', true));"
            + "GRANT ALL ON ALL TABLES IN SCHEMA public TO settings_tenants");
  }

  @BeforeEach
  void open() throws SQLException {
    DATABASE.execute("TRUNCATE note, onceward_processed_event");
    PGSimpleDataSource source = DATABASE.plain();
    source.setUser("settings_tenants");
    pool = DATABASE.pool(1, source);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void aSettingHoldsForTheTransactionAndSeparatesTenantsOverOneConnection() throws Exception {
    JdbcInbox inbox = inbox();
    for (int i = 0; i < 4; i++) {
      String tenant = i % 2 == 0 ? "it's a" : "b\\";
      String id = "e" + i;
      assertThat(
              inbox.process(
                  event(id).withSetting("app.tenant_id", tenant),
                  tx -> {
                    Events.execute(
                        tx,
                        "INSERT INTO note VALUES (current_setting('app.tenant_id'), '" + id + "')");
                    assertThat(strings(tx, "SELECT DISTINCT tenant FROM note"))
                        .containsExactly(tenant);
                  }))
          .isEqualTo(APPLIED);
      assertThat(
              inbox.process(
                  event("none" + i),
                  tx -> assertThat(strings(tx, "SELECT body FROM note")).isEmpty()))
          .isEqualTo(APPLIED);
    }
    assertThat(DATABASE.number("SELECT count(*) FROM note")).isEqualTo(4);
    assertThat(inbox.leakedSettings()).isZero();
  }

  @Test
  void aBatchBindsTheSettingsOfItsEntries() throws Exception {
    List<InboxEntry> entries =
        List.of(
            event("e1").withSetting("app.tenant_id", "a"),
            event("e2").withSettings(Map.of("app.tenant_id", "a")));

    inbox()
        .processAll(
            entries,
            (tx, fresh) ->
                assertThat(strings(tx, "SELECT current_setting('app.tenant_id')"))
                    .containsExactly("a"));
    assertThatThrownBy(
            () ->
                inbox()
                    .processAll(
                        List.of(entries.get(0), event("e2").withSetting("app.tenant_id", "b")),
                        (tx, fresh) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("equal settings")
        .hasMessageContaining("e2");
  }

  @Test
  void aValueFromBeforeStopsTheEffectAndDropsTheConnection() throws Exception {
    JdbcInbox inbox = inbox();
    inbox.process(event("e0").withSetting("app.tenant_id", "a"), tx -> {});
    for (InboxEntry entry :
        List.of(
            event("e1").withSetting("app.tenant_id", "a"),
            event("e2"),
            event("e3").withIdempotency(InboxEntry.Idempotency.NONE),
            event("e4").withVersion(InboxEntry.EntityVersion.next("orders", "k", 1)))) {
      long leaks = inbox.leakedSettings();
      int leaked = leak();

      assertThatThrownBy(() -> inbox.process(entry, tx -> Events.execute(tx, "SELECT 1/0")))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("app.tenant_id")
          .hasMessageContaining("SET LOCAL")
          .message()
          .doesNotContain("\n", "other tenant", "app.region");
      assertThat(inbox.leakedSettings()).isEqualTo(leaks + 1);
      List<Integer> backends = new ArrayList<>();
      assertThat(inbox.process(entry, tx -> backends.add(backend(tx)))).isEqualTo(APPLIED);
      assertThat(backends).doesNotContain(leaked);
    }
    leak();
    assertThatThrownBy(() -> inbox.processAll(List.of(event("e5"), event("e6")), (tx, fresh) -> {}))
        .hasMessageContaining("app.tenant_id");
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isEqualTo(4);
  }

  /** Returns the backend of the pool's one connection. */
  private int leak() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Events.execute(connection, "SET app.tenant_id = 'other tenant'");
      return backend(connection);
    }
  }

  @Test
  void aSettingThatIsNotNamedIsRefused() {
    assertThatThrownBy(() -> inbox().process(event("e1").withSetting("app.other", "x"), tx -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("app.other")
        .hasMessageContaining("boundSettings");
    for (String name : List.of("search_path", "a.b'c", "", "app.", "role")) {
      assertThatThrownBy(() -> JdbcInbox.builder(pool).boundSettings(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("boundSettings");
    }
  }

  @Test
  void aHandlerThatIdlesTooLongIsToldWhyAndNothingIsCommitted() throws Exception {
    JdbcInbox impatient = JdbcInbox.builder(pool).idleTimeout(Duration.ofMillis(100)).build();
    for (String then : List.of("return", "fail", "swallow")) {
      assertThatThrownBy(
              () ->
                  impatient.process(
                      event("e1"),
                      tx -> {
                        int backend = backend(tx);
                        await()
                            .until(
                                () ->
                                    DATABASE.number(
                                            "SELECT count(*) FROM pg_stat_activity WHERE pid = "
                                                + backend)
                                        == 0);
                        if (then.equals("fail")) {
                          Events.execute(tx, "SELECT 1");
                        } else if (then.equals("swallow")) {
                          assertThatThrownBy(() -> Events.execute(tx, "SELECT 1"))
                              .isInstanceOf(SQLException.class);
                        }
                      }))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("25P03")
          .hasMessageContaining("e1")
          .hasMessageContaining("idleTimeout")
          .message()
          .doesNotContain("\n");
    }
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isZero();
    assertThat(impatient.process(event("e1"), tx -> {})).isEqualTo(APPLIED);
  }

  @Test
  void theIdleTimeoutHoldsForTheTransactionOnly() throws Exception {
    String show = "SHOW idle_in_transaction_session_timeout";
    JdbcInbox.on(pool)
        .process(event("e1"), tx -> assertThat(strings(tx, show)).containsExactly("1min"));
    JdbcInbox.builder(pool)
        .idleTimeout(Duration.ZERO)
        .build()
        .process(event("e2"), tx -> assertThat(strings(tx, show)).containsExactly("0"));
  }

  private JdbcInbox inbox() {
    return JdbcInbox.builder(pool).boundSettings("app.tenant_id", "app.region").build();
  }

  private static int backend(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }

  private static List<String> strings(Connection tx, String sql) throws SQLException {
    try (Statement statement = tx.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }
}
