package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import dev.onceward.dedupe.hygiene.HygieneViolationException;
import dev.onceward.dedupe.hygiene.HygienicDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where databases other than PostgreSQL are alike. */
abstract class PortableContract {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SqlDatabase database;
  private final JdbcInbox inbox;
  private final ExecutorService threads = Executors.newFixedThreadPool(4);

  PortableContract(SqlDatabase database) {
    this.database = database;
    this.inbox = JdbcInbox.on(database.plain());
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
  }

  ExecutorService threads() {
    return threads;
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void theSchemaIsCreatedOnceByManyAtOnceAndVerified() throws Exception {
    JdbcInbox.Builder other =
        JdbcInbox.builder(database.plain()).schema("Elsewhere").tablePrefix("in_");
    assertThatThrownBy(() -> other.build().verify(PATIENCE))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("in_processed_event")
        .hasMessageContaining("in schema Elsewhere")
        .hasMessageContaining("createSchema(), with the same schema and tablePrefix")
        .message()
        .doesNotContain("\n", ".sql", "postgresql");
    List<Future<?>> creating = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      creating.add(threads.submit(() -> other.build().createSchema()));
    }
    for (Future<?> created : creating) {
      created.get();
    }

    other.build().createSchema();
    other.build().verify(PATIENCE);
    assertThat(other.build().process(event("e1"), tx -> {})).isEqualTo(APPLIED);
    assertThat(other.build().process(event("e1"), tx -> {})).isEqualTo(DUPLICATE);
    assertThat(inbox.process(event("e1"), tx -> {})).as("of other tables").isEqualTo(APPLIED);
    inbox.verify(PATIENCE);
    assertThat(database.number("SELECT count(*) FROM onceward_processed_event")).isOne();
  }

  @Test
  void settingsThatCannotBeKeptAreRefusedAtFirstUse() {
    ConnectionHygiene strict = ConnectionHygiene.strict();
    for (JdbcInbox.Builder asking :
        List.of(
            JdbcInbox.builder(database.plain()).lockTimeout(Duration.ofSeconds(1)),
            JdbcInbox.builder(database.plain()).idleTimeout(Duration.ofSeconds(1)),
            JdbcInbox.builder(database.plain()).boundSettings("app.tenant_id"),
            JdbcInbox.builder(database.plain()).hygiene(strict))) {
      JdbcInbox asked = asking.build();
      for (ThrowingUse use :
          List.<ThrowingUse>of(
              () -> asked.verify(PATIENCE),
              () -> asked.process(event("e1"), tx -> {}),
              asked::createSchema)) {
        assertThatThrownBy(use::run)
            .isInstanceOf(InboxUnavailableException.class)
            .hasMessageContaining("cannot be kept on")
            .hasMessageContaining("remove it")
            .message()
            .doesNotContain("\n");
      }
    }
    JdbcInbox.builder(database.plain())
        .lockTimeout(Duration.ZERO)
        .idleTimeout(Duration.ZERO)
        .hygiene(ConnectionHygiene.off())
        .build()
        .verify(PATIENCE);
  }

  @Test
  void aStatementThatFailsUndoesItselfAndTheRestIsCommitted() throws Exception {
    inbox.process(
        event("e1"),
        tx -> {
          Events.insert(tx, "before", 1);
          for (String sql :
              List.of(
                  "INSERT INTO state VALUES ('a', 1), ('b', 1), ('a', 2)",
                  "SELECT * FROM nowhere")) {
            assertThatThrownBy(() -> Events.execute(tx, sql)).isInstanceOf(SQLException.class);
          }
          Events.insert(tx, "after", 1);
        });

    assertThat(database.texts("SELECT account FROM ledger ORDER BY id"))
        .containsExactly("before", "after");
    assertThat(database.number("SELECT count(*) FROM state")).isZero();
    assertThat(inbox.process(event("e1"), tx -> {})).isEqualTo(DUPLICATE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE made (a INT)",
        "DROP TABLE state",
        "ALTER TABLE state ADD made INT",
        "TRUNCATE TABLE state",
        "COMMIT",
        "ROLLBACK",
        "/* so */ create index made on state (amount)"
      })
  void whatEndsTheTransactionIsRefusedAndTheEffectWithIt(String sql) throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      Events.insert(tx, "lost", 1);
                      assertThatThrownBy(() -> Events.execute(tx, sql))
                          .isInstanceOf(SQLException.class)
                          .hasMessageContaining("is refused inside an event's transaction");
                    }))
        .isInstanceOf(CommitRefusedException.class);

    assertThat(database.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(inbox.process(event("e1"), charge("again", 1))).isEqualTo(APPLIED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SET @tenant = 'a'", "SET SCHEMA x", "USE x"})
  void whatOutlivesTheTransactionIsRefused(String sql) {
    assertThatThrownBy(() -> inbox.process(event("e1"), Events.sql(sql)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("outlive")
        .hasMessageContaining("the data source's settings");
  }

  @Test
  void aTransactionThatEndedPastTheGuardIsNoticed() throws Exception {
    WatchedDataSource watched = new WatchedDataSource(() -> database.plain().getConnection());
    JdbcInbox behind = JdbcInbox.on(watched);
    behind.process(event("registered"), tx -> {});
    for (String sql : List.of("CREATE TABLE made_past (a INT)", "ROLLBACK", "COMMIT")) {
      assertThatThrownBy(
              () ->
                  behind.process(
                      event("e " + sql),
                      tx -> {
                        Events.execute(watched.last(), sql);
                        Events.insert(tx, "late", 1);
                      }))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("ended under the handler");
    }
    assertThat(database.number("SELECT count(*) FROM ledger")).isZero();
  }

  @Test
  void aConnectionWithATransactionOpenIsRefusedAndLeftAlone() throws Exception {
    try (Connection outer = database.plain().getConnection()) {
      outer.setAutoCommit(false);
      Events.insert(outer, "outer", 1);
      JdbcInbox joined = JdbcInbox.on(new WatchedDataSource(() -> Connections.uncloseable(outer)));

      assertThatThrownBy(() -> joined.process(event("e1"), charge("inner", 1)))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("a transaction is open already");
      assertThat(database.number("SELECT count(*) FROM ledger")).as("not committed").isZero();
    }
  }

  @Test
  void theSessionsIsolationIsLeftAsItWas() throws Exception {
    try (Connection session =
        database.withSessions(TransactionIsolation.SERIALIZABLE).getConnection()) {
      JdbcInbox joined =
          JdbcInbox.on(new WatchedDataSource(() -> Connections.uncloseable(session)));
      joined.process(event("e1"), tx -> {});
      joined.process(event("e1"), tx -> {});
      assertThatThrownBy(
              () ->
                  JdbcInbox.builder(new WatchedDataSource(() -> Connections.uncloseable(session)))
                      .tablePrefix("missing_")
                      .build()
                      .process(event("e1"), tx -> {}))
          .isInstanceOf(InboxUnavailableException.class);

      assertThat(session.getAutoCommit()).isTrue();
      assertThat(session.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  @Test
  void aPoolOutOfAutocommitIsUsedAndLeftClean() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.plain());
    config.setAutoCommit(false);
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcInbox pooled = JdbcInbox.on(pool);
      pooled.createSchema();
      pooled.verify(PATIENCE);
      pooled.maintain();
      Fence fence = pooled.takeFence(new FenceScope("billing", "orders", null, 0));
      InboxEntry entry = event("e1", "k", 1).withFence(fence);

      assertThat(pooled.process(entry, charge("a", 1))).isEqualTo(APPLIED);
      assertThat(pooled.process(entry, charge("a", 1))).isEqualTo(DUPLICATE);
      assertThatThrownBy(() -> pooled.process(event("e2"), Events.sql("SELECT * FROM nowhere")))
          .isInstanceOf(SQLException.class);
      assertThat(pooled.process(event("e2"), charge("a", 1))).isEqualTo(APPLIED);
      assertThat(database.number("SELECT count(*) FROM ledger")).isEqualTo(2);
    }
  }

  @Test
  void aHygienicDataSourceLooksAfterTheConnectionsThatTheInboxDoesNotUse() throws Exception {
    HygienicDataSource source =
        HygienicDataSource.over(database.pool(1), ConnectionHygiene.strict());
    JdbcInbox hygienic = JdbcInbox.on(source);

    assertThat(hygienic.process(event("e1"), charge("a", 1))).isEqualTo(APPLIED);
    assertThat(hygienic.process(event("e1"), charge("a", 1))).isEqualTo(DUPLICATE);
    assertThatThrownBy(
            () -> {
              try (Connection connection = source.getConnection()) {
                connection.setAutoCommit(false);
                Events.insert(connection, "left open", 1);
              }
            })
        .isInstanceOf(HygieneViolationException.class);
    assertThat(hygienic.process(event("e2"), charge("b", 1))).isEqualTo(APPLIED);
    assertThat(database.texts("SELECT account FROM ledger ORDER BY id")).containsExactly("a", "b");
  }

  @Test
  void namesAreComparedExactly() throws Exception {
    for (String handler : List.of("billing", "Billing", "billing ", "b\u00eflling")) {
      assertThat(inbox.process(event(handler, "e1"), tx -> {})).isEqualTo(APPLIED);
      assertThat(inbox.process(event(handler, "e1"), tx -> {})).isEqualTo(DUPLICATE);
      FenceScope scope = new FenceScope(handler, "orders", null, 0);
      assertThat(inbox.takeFence(scope).epoch()).isOne();
    }
  }

  private interface ThrowingUse {
    void run() throws Exception;
  }
}
