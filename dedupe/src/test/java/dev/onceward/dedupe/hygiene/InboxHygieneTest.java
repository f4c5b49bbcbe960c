package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.hygiene.Leaks.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.Events;
import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class InboxHygieneTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final List<HygieneViolationException> told = new CopyOnWriteArrayList<>();
  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
    Leaks.createFunctions(DATABASE);
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

  record Leaving(String sql, LeakKind kind, String name) {
    /** Writes too, so that a commit would show. */
    Effect effect() {
      return tx -> {
        insert(tx, "of the leak", 1);
        execute(tx, sql);
      };
    }

    @Override
    public String toString() {
      return sql;
    }
  }

  static Stream<Leaving> provedBeforeTheCommit() {
    return Stream.of(
        new Leaving("SELECT set_config('app.tenant_id', 'a', false)", LeakKind.SETTING, TENANT),
        new Leaving(
            "SELECT set_config('lock_timeout', '1', false)", LeakKind.SETTING, "lock_timeout"),
        new Leaving("SELECT set_config('role', 'reporting', false)", LeakKind.ROLE, "role"),
        new Leaving(
            "SELECT set_config('search_path', 'pg_catalog', false)", LeakKind.SEARCH_PATH, ""),
        new Leaving("CREATE TEMP TABLE t (i int)", LeakKind.TEMPORARY_TABLE, "t"),
        new Leaving("SELECT 1 AS i INTO TEMP t", LeakKind.TEMPORARY_TABLE, "t"),
        new Leaving("CREATE TEMP VIEW v AS SELECT 1", LeakKind.TEMPORARY_TABLE, "v"),
        new Leaving("SELECT pg_advisory_lock(1)", LeakKind.ADVISORY_LOCK, "1 held"),
        new Leaving(
            "SELECT pg_advisory_xact_lock(1), pg_try_advisory_lock_shared(2, 3)",
            LeakKind.ADVISORY_LOCK,
            "1 held"),
        new Leaving("DECLARE c CURSOR WITH HOLD FOR SELECT 1", LeakKind.HOLDABLE_CURSOR, "c"));
  }

  @ParameterizedTest
  @MethodSource("provedBeforeTheCommit")
  void whatTheTextShowsFailsTheHandlerBeforeItsCommitWhateverTheRate(Leaving leaving)
      throws Exception {
    JdbcInbox inbox = inbox(hygiene().checkRate(0).build());
    int first = backend(inbox);
    assertThatThrownBy(() -> inbox.process(event("e1"), leaving.effect()))
        .isInstanceOfSatisfying(
            HygieneViolationException.class,
            e -> assertThat(e.leaks()).containsExactly(new Leak(leaving.kind(), leaving.name())))
        .hasMessageContaining("rolled back event e1 in handler billing")
        .hasMessageContaining(leaving.kind().fix())
        .hasMessageContaining("at dev.onceward.dedupe.Events.execute(Events.java:");
    assertNothingCommitted();
    assertThat(backend(inbox)).isNotEqualTo(first);
    assertThat(inbox.process(event("e1"), Events.charge("retried", 1))).isEqualTo(APPLIED);
    assertThat(told).hasSize(1);
    assertCounts(inbox, leaving.kind(), 1);
  }

  static Stream<Leaving> provedByTheServer() {
    return Stream.of(
        new Leaving("SELECT hold()", LeakKind.ADVISORY_LOCK, "1 held"),
        new Leaving("SELECT keep()", LeakKind.HOLDABLE_CURSOR, "kept"));
  }

  @ParameterizedTest
  @MethodSource("provedByTheServer")
  void whatFunctionsLeaveFailsTheHandlerBeforeItsCommitWhereTheServerShowsIt(Leaving leaving)
      throws Exception {
    JdbcInbox inbox = inbox(strict());
    assertThatThrownBy(() -> inbox.process(event("e1"), leaving.effect()))
        .isInstanceOf(HygieneViolationException.class)
        .hasMessageContaining("rolled back event e1")
        .hasMessageContaining(leaving.name());
    assertNothingCommitted();
    assertCounts(inbox, leaving.kind(), 1);
  }

  static Stream<Leaving> doubtful() {
    return Stream.of(
        new Leaving("SELECT become('a')", LeakKind.SETTING, TENANT),
        new Leaving("SELECT report()", LeakKind.ROLE, "role"),
        new Leaving("SELECT pile()", LeakKind.TEMPORARY_TABLE, "heap"));
  }

  @ParameterizedTest
  @MethodSource("doubtful")
  void aHandlerCaughtByItsFunctionAfterTheCommitFailsBeforeItFromThenOn(Leaving leaving)
      throws Exception {
    JdbcInbox inbox = inbox(strict());
    int first = backend(inbox);

    assertThat(inbox.process(event("e1"), leaving.effect())).isEqualTo(APPLIED);

    assertThat(told).hasSize(1);
    assertThat(told.get(0).leaks()).containsExactly(new Leak(leaving.kind(), leaving.name()));
    assertThat(told.get(0)).hasMessageContaining("event e1 in handler billing");
    assertThat(backend(inbox)).isNotEqualTo(first);
    assertThatThrownBy(() -> inbox.process(event("e2"), leaving.effect()))
        .isInstanceOf(HygieneViolationException.class)
        .hasMessageContaining("rolled back event e2");
    assertThat(inbox.process(event("e1"), leaving.effect())).isEqualTo(DUPLICATE);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
    assertCounts(inbox, leaving.kind(), 2);
    // another handler that does the like and ends it with the transaction is not touched
    assertThat(
            inbox.process(
                event("shipping", "e3"),
                Events.sql("SELECT lend('a'); SET LOCAL ROLE reporting; SELECT drop_pile()")))
        .isEqualTo(APPLIED);
    assertCounts(inbox, leaving.kind(), 2);
  }

  @Test
  void aListenThatAFunctionLeavesIsFoundAfterTheCommit() throws Exception {
    JdbcInbox inbox = inbox(strict());
    int first = backend(inbox);
    assertThat(inbox.process(event("e1"), Events.sql("SELECT hear()"))).isEqualTo(APPLIED);
    assertCounts(inbox, LeakKind.LISTEN, 1);
    assertThat(backend(inbox)).isNotEqualTo(first);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1})
  void nothingThatEndsWithTheTransactionOrWasUndoneIsALeak(double rate) throws Exception {
    JdbcInbox inbox = inbox(hygiene().checkRate(rate).build());
    for (int i = 0; i < 3; i++) {
      assertThat(inbox.process(event("e" + i), InboxHygieneTest::behave)).isEqualTo(APPLIED);
      assertThat(inbox.process(event("e" + i), InboxHygieneTest::behave)).isEqualTo(DUPLICATE);
    }
    assertThat(told).isEmpty();
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isEqualTo(3);
    assertThat(inbox.hygiene().orElseThrow().checkIns()).isEqualTo(3);
  }

  private static void behave(Connection tx) throws SQLException {
    insert(tx, "clean", 1);
    execute(tx, "SET LOCAL app.tenant_id = 'a'; SET LOCAL search_path = pg_catalog, public");
    execute(tx, "SELECT set_config('app.tenant_id', 'b', true)");
    execute(tx, "SET LOCAL TIME ZONE 'Asia/Tokyo'; SET LOCAL statement_timeout = '1h'");
    execute(tx, "SELECT lend('c')");
    execute(tx, "SELECT drop_pile()");
    execute(tx, "CREATE TEMP TABLE mine (i serial) ON COMMIT DROP");
    execute(tx, "CREATE TEMP TABLE dropped (i serial)");
    execute(tx, "DROP TABLE dropped");
    execute(tx, "SELECT pg_advisory_xact_lock(1)");
    execute(tx, "SELECT pg_advisory_lock(2)");
    execute(tx, "SELECT pg_advisory_unlock(2)");
    execute(tx, "SELECT set_config('app.other', 'x', false)"); // nobody watches it
    execute(tx, "SELECT set_config('app.tenant_id', '', false)"); // as it was
    execute(tx, "DECLARE held CURSOR WITH HOLD FOR SELECT 1");
    execute(tx, "CLOSE held");
    execute(tx, "DECLARE c CURSOR FOR SELECT 1");
    execute(tx, "SET LOCAL ROLE reporting");
    try (PreparedStatement statement = tx.prepareStatement("SELECT ?::int")) {
      for (int n = 0; n < 20; n++) {
        statement.setInt(1, n);
        statement.executeQuery().close();
      }
    }
  }

  @Test
  void aHandlerThatFailsAndLeavesALockFailsAsItDidAndTheConnectionIsEvicted() throws Exception {
    JdbcInbox inbox = inbox(hygiene().checkRate(0).build());
    int first = backend(inbox);
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      execute(tx, "SELECT pg_advisory_lock(7)");
                      throw new IllegalStateException("of the handler");
                    }))
        .hasMessage("of the handler");
    assertCounts(inbox, LeakKind.ADVISORY_LOCK, 1);
    assertThat(backend(inbox)).isNotEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource(names = {"EVICT", "WARN"})
  void withoutFailTheEffectIsCommittedAndTheLeakCounted(OnLeak onLeak) throws Exception {
    JdbcInbox inbox = inbox(hygiene().onLeak(onLeak).build());
    int first = backend(inbox);
    assertThat(
            inbox.process(
                event("e1"),
                tx -> {
                  insert(tx, "applied", 1);
                  execute(tx, "SELECT set_config('app.tenant_id', 'a', false)");
                  execute(tx, "SELECT pg_advisory_lock(7)");
                }))
        .isEqualTo(APPLIED);
    assertThat(told).hasSize(1);
    assertThat(told.get(0).leaks())
        .extracting(Leak::kind)
        .containsExactly(LeakKind.SETTING, LeakKind.ADVISORY_LOCK);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
    try (Connection next = pool.getConnection()) {
      boolean same = next.unwrap(PGConnection.class).getBackendPID() == first;
      assertThat(same).isEqualTo(onLeak == OnLeak.WARN);
    }
  }

  @Test
  void byDefaultTheTextIsFollowedUp() throws Exception {
    JdbcInbox inbox = JdbcInbox.on(pool);
    assertThatThrownBy(() -> inbox.process(event("e1"), Events.sql("SELECT pg_advisory_lock(1)")))
        .isInstanceOf(HygieneViolationException.class);
    assertThatThrownBy(() -> inbox.process(event("e2"), Events.sql("CREATE TEMP TABLE t ()")))
        .isInstanceOf(HygieneViolationException.class);
  }

  @Test
  void offChecksNothing() throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(pool).hygiene(ConnectionHygiene.off()).build();
    int first = backend(inbox);
    assertThat(inbox.process(event("e1"), Events.sql("CREATE TEMP TABLE t ()"))).isEqualTo(APPLIED);
    assertThat(backend(inbox)).isEqualTo(first);
    assertThat(inbox.hygiene().orElseThrow().checkIns()).isZero();
  }

  @Test
  void aHygienicDataSourceLendsTheInboxItsSettingsAndItsCounts() throws Exception {
    HygienicDataSource dataSource = HygienicDataSource.over(pool, strict());
    JdbcInbox inbox = JdbcInbox.on(dataSource);
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"), Events.sql("SELECT set_config('app.tenant_id', 'a', false)")))
        .isInstanceOf(HygieneViolationException.class)
        .hasMessageContaining("rolled back event e1");
    assertThat(inbox.process(event("e1"), Events.charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(dataSource.counts()).isEqualTo(inbox.hygiene().orElseThrow());
    assertThat(dataSource.counts().violations()).isOne();
    assertThat(dataSource.figures().acquired()).isEqualTo(2);
  }

  @Test
  void aPoolWithoutAutocommitIsCheckedAndLeftClean() throws Exception {
    pool.close();
    com.zaxxer.hikari.HikariConfig config = new com.zaxxer.hikari.HikariConfig();
    config.setDataSource(DATABASE.plain());
    config.setAutoCommit(false);
    config.setMaximumPoolSize(1);
    pool = new HikariDataSource(config);
    JdbcInbox inbox = inbox(strict());
    assertThat(inbox.process(event("e1"), InboxHygieneTest::behave)).isEqualTo(APPLIED);
    assertThat(inbox.process(event("e2"), InboxHygieneTest::behave)).isEqualTo(APPLIED);
    assertThatThrownBy(() -> inbox.process(event("e3"), Events.sql("SELECT pg_advisory_lock(1)")))
        .isInstanceOf(HygieneViolationException.class);
    assertThat(inbox.process(event("e3"), InboxHygieneTest::behave)).isEqualTo(APPLIED);
    assertThat(inbox.hygiene().orElseThrow().violations()).isOne();
  }

  private ConnectionHygiene.Builder hygiene() {
    return ConnectionHygiene.builder().watch(TENANT).listener(told::add);
  }

  private ConnectionHygiene strict() {
    return hygiene().checkRate(1).build();
  }

  private JdbcInbox inbox(ConnectionHygiene hygiene) {
    return JdbcInbox.builder(pool).hygiene(hygiene).build();
  }

  private static int backend(JdbcInbox inbox) throws Exception {
    int[] backend = new int[1];
    inbox.process(
        event("look").withIdempotency(Idempotency.NONE),
        tx -> backend[0] = tx.unwrap(PGConnection.class).getBackendPID());
    return backend[0];
  }

  private static void assertNothingCommitted() throws SQLException {
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isZero();
  }

  private static void assertCounts(JdbcInbox inbox, LeakKind kind, long times) {
    HygieneCounts counts = inbox.hygiene().orElseThrow();
    assertThat(counts.leaks()).containsEntry(kind, times);
    assertThat(counts.violations()).isEqualTo(times);
    assertThat(counts.evictions()).isEqualTo(times);
  }
}
