package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(60)
class VerifyTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);

  private static final String PASSWORD_RULE = "host all app all scram-sha-256";

  @BeforeAll
  static void createTables() throws SQLException {
    JdbcInbox.on(DATABASE.plain()).createSchema();
    // The embedded server trusts everyone on the loopback; this user must show a password.
    DATABASE.execute("CREATE ROLE app LOGIN PASSWORD 'right-horse'");
    String file = DATABASE.text("SHOW hba_file");
    String rules = DATABASE.text("SELECT pg_read_file('" + file + "')");
    if (!rules.startsWith(PASSWORD_RULE)) {
      String lines = (PASSWORD_RULE + "\n" + rules.strip()).replace("'", "''");
      DATABASE.execute(
          "COPY (SELECT unnest(string_to_array('" + lines + "', E'\\n'))) TO '" + file + "'");
      DATABASE.execute("SELECT pg_reload_conf()");
      await().until(VerifyTest::asksForPasswords);
    }
  }

  private static boolean asksForPasswords() {
    PGSimpleDataSource app = DATABASE.plain();
    app.setUser("app");
    try (Connection connection = app.getConnection()) {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  @Test
  void aReadyDatabaseIsAcceptedAndNotChanged() throws SQLException {
    JdbcInbox.on(DATABASE.plain()).verify(LONG);
    JdbcInbox.on(DATABASE.pool(1)).verify(LONG);
    JdbcInbox.builder(DATABASE.plain())
        .isolation(TransactionIsolation.SERIALIZABLE)
        .build()
        .verify(LONG);

    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_entity_version")).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_handler")).isZero();
  }

  @Test
  void anUnreachableServerIsNamed() throws Exception {
    PGSimpleDataSource dataSource = DATABASE.plain();
    try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      dataSource.setPortNumbers(new int[] {reserved.getLocalPort()});
    }

    assertUnavailable(JdbcInbox.on(dataSource), LONG)
        .hasMessageContaining("PGSimpleDataSource cannot get a connection")
        .hasMessageContaining("host and port");
  }

  @Test
  void aUrlThatNoDriverTakesIsNotTakenForAServerThatIsDown() {
    String url = "jdbc:postgres://localhost:" + DATABASE.port() + "/db?password=wrong-horse";
    assertUnavailable(
            JdbcInbox.on(new WatchedDataSource(() -> DriverManager.getConnection(url))), LONG)
        .hasMessageContaining("No suitable driver")
        .hasMessageContaining("begins with jdbc:postgresql:")
        .hasMessageContaining("org.postgresql:postgresql")
        .hasMessageNotContaining("host and port")
        .hasMessageNotContaining("horse");

    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      assertUnavailable(JdbcInbox.on(pool), LONG)
          .hasMessageContaining("begins with jdbc:postgresql:")
          .hasMessageNotContaining("host and port")
          .hasMessageNotContaining("horse");
    }
  }

  @Test
  void aWrongPasswordIsNamedAndNeverShown() {
    PGSimpleDataSource dataSource = DATABASE.plain();
    dataSource.setUser("app");
    dataSource.setPassword("wrong-horse");

    assertUnavailable(JdbcInbox.builder(dataSource).dataSourceName("billing-db").build(), LONG)
        .hasMessageContaining("billing-db")
        .hasMessageContaining("28P01")
        .hasMessageContaining("user and password")
        .hasMessageNotContaining("horse");
  }

  @Test
  void aPoolThatConnectsLazilyTellsTheSameReason() {
    HikariDataSource lazy = new HikariDataSource();
    lazy.setJdbcUrl(
        "jdbc:postgresql://localhost:"
            + DATABASE.port()
            + "/"
            + DATABASE.name()
            + "?user=app&password=wrong-horse");
    lazy.setConnectionTimeout(1_000);
    try (lazy) {
      assertUnavailable(JdbcInbox.on(lazy), LONG)
          .hasMessageContaining("HikariDataSource cannot get a connection")
          .hasMessageContaining("28P01")
          .hasMessageNotContaining("horse");
    }
  }

  @Test
  void aUrlInADriversMessageLosesItsPassword() {
    JdbcInbox inbox =
        JdbcInbox.on(
            new WatchedDataSource(
                () -> {
                  throw new SQLException(
                      "No driver for jdbc:postgresql://me:pony@h/db?password=wrong-horse&ssl=true");
                }));

    assertUnavailable(inbox, LONG)
        .hasMessageContaining("password=***&ssl=true")
        .hasMessageNotContaining("horse")
        .hasMessageNotContaining("pony");
  }

  @Test
  void anUnknownDatabaseIsNamed() {
    PGSimpleDataSource dataSource = DATABASE.plain();
    dataSource.setDatabaseName("nowhere");

    assertUnavailable(JdbcInbox.on(dataSource), LONG)
        .hasMessageContaining("nowhere")
        .hasMessageContaining("database name");
  }

  @Test
  void missingTablesAreNamedWithTheWayToCreateThem() throws SQLException {
    JdbcInbox other = JdbcInbox.builder(DATABASE.plain()).tablePrefix("other_").build();
    assertUnavailable(other, LONG)
        .hasMessageContaining(
            "lacks tables other_handler, other_window, other_processed_event, other_entity_version,"
                + " other_fence on the search path")
        .hasMessageContaining("JdbcInbox.createSchema(), with the same schema and tablePrefix")
        .hasMessageNotContaining("postgresql.sql"); // it makes the default names

    other.createSchema();
    DATABASE.execute("DROP TABLE other_entity_version");
    assertUnavailable(other, LONG).hasMessageContaining("lacks table other_entity_version on");
    assertThatThrownBy(() -> other.process(event("e1", "k", 1), charge("a", 1)))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("other_entity_version")
        .hasMessageContaining("JdbcInbox.createSchema()");

    assertUnavailable(JdbcInbox.builder(DATABASE.plain()).schema("No\"Where").build(), LONG)
        .hasMessageContaining("in schema No\"Where");
  }

  @Test
  void aTableOfAnotherShapeIsNamed() throws SQLException {
    JdbcInbox shaped = JdbcInbox.builder(DATABASE.plain()).tablePrefix("shaped_").build();
    shaped.createSchema();
    DATABASE.execute("ALTER TABLE shaped_processed_event RENAME event_key TO key");

    assertUnavailable(shaped, LONG).hasMessageContaining("event_key").hasMessageContaining("42703");
  }

  @Test
  void aReadOnlyDatabaseIsNamed() {
    PGSimpleDataSource dataSource = DATABASE.plain();
    dataSource.setOptions("-c default_transaction_read_only=on");
    assertUnavailable(JdbcInbox.on(dataSource), LONG)
        .hasMessageContaining("25006")
        .hasMessageContaining("read-only")
        .hasMessageContaining("primary");

    HikariConfig config = new HikariConfig();
    config.setDataSource(DATABASE.plain());
    config.setReadOnly(true);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      assertUnavailable(JdbcInbox.on(pool), LONG).hasMessageContaining("25006");
      assertThatThrownBy(() -> JdbcInbox.on(pool).process(event("e1"), charge("a", 1)))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("primary");
    }
  }

  @Test
  void aMissingPrivilegeIsNamedWithTheGrant() throws SQLException {
    PGSimpleDataSource app = DATABASE.plain();
    app.setUser("app");
    app.setPassword("right-horse");
    JdbcInbox inbox = JdbcInbox.on(app);
    assertUnavailable(inbox, LONG)
        .hasMessageContaining("42501")
        .hasMessageContaining("grant the data source's user SELECT and INSERT on onceward_handler");

    DATABASE.execute(
        "GRANT SELECT ON onceward_handler TO app;"
            + "GRANT SELECT, UPDATE ON onceward_window TO app;"
            + "GRANT SELECT, INSERT, DELETE ON onceward_processed_event TO app;"
            + "GRANT SELECT, INSERT, UPDATE ON onceward_entity_version, onceward_fence TO app");
    assertUnavailable(inbox, LONG).hasMessageContaining("onceward_handler");

    DATABASE.execute("GRANT INSERT ON onceward_handler TO app");
    inbox.verify(LONG);
  }

  @Test
  void theScriptsListOfPrivilegesIsEnoughForEverything() throws Exception {
    DATABASE.execute("CREATE ROLE least LOGIN; CREATE SCHEMA least");
    JdbcInbox.builder(DATABASE.plain()).schema("least").build().createSchema();
    DATABASE.execute(
        "GRANT USAGE ON SCHEMA least TO least;"
            + "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA least TO least;"
            + "REVOKE INSERT ON least.onceward_window FROM least;"
            + "GRANT UPDATE ON least.onceward_entity_version, least.onceward_fence TO least;"
            + "GRANT UPDATE ON least.onceward_window TO least;"
            + "GRANT DELETE ON least.onceward_processed_event TO least");
    PGSimpleDataSource dataSource = DATABASE.plain();
    dataSource.setUser("least");
    JdbcInbox inbox = JdbcInbox.builder(dataSource).schema("least").build();

    inbox.createSchema();
    inbox.verify(LONG);
    assertThat(inbox.process(event("e1", "k", 1), tx -> {})).isEqualTo(InboxOutcome.APPLIED);
    assertThat(inbox.process(event("e2", "k", 2), tx -> {})).isEqualTo(InboxOutcome.APPLIED);
    assertThat(
            inbox.processAll(
                List.of(event("e3", "k", 3), event("e4", "k", 1)),
                (tx, fresh) -> assertThat(fresh).containsExactly(0)))
        .containsExactly(InboxOutcome.APPLIED, InboxOutcome.STALE);
    assertThat(inbox.takeFence(new FenceScope("g", "t", null, 0)).epoch()).isOne();
    inbox.maintain();
  }

  @Test
  void aLockedTableEndsWithinTheTimeout() throws Exception {
    try (Connection connection = DATABASE.plain().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("LOCK TABLE onceward_processed_event");

      assertUnavailable(JdbcInbox.on(DATABASE.plain()), SHORT)
          .hasMessageContaining("within 200 ms");
    }
  }

  @Test
  void aDataSourceThatHangsEndsWithinTheTimeoutAndCostsOneThreadHoweverOftenItIsAsked() {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger hanging = new AtomicInteger();
    JdbcInbox inbox =
        JdbcInbox.on(
            new WatchedDataSource(
                () -> {
                  hanging.incrementAndGet();
                  // As a socket read would, it takes no notice of interrupts.
                  Uninterruptibly.await(release);
                  return DATABASE.plain().getConnection();
                }));

    for (int i = 0; i < 5; i++) {
      assertUnavailable(inbox, SHORT)
          .hasMessageContaining("gave no answer within 200 ms")
          .hasMessageContaining("connectTimeout");
    }
    assertThat(hanging).hasValue(1);
    assertThat(verifyThreads()).isOne();

    release.countDown();
    await().until(() -> verifyThreads() == 0);
    inbox.verify(LONG);
  }

  @Test
  void anInterruptEndsTheWaitAndKeepsTheFlag() {
    JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());
    Thread.currentThread().interrupt();

    assertUnavailable(inbox, LONG).hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aTimeoutThatIsNotPositiveIsRefused() {
    assertThatThrownBy(() -> JdbcInbox.on(DATABASE.plain()).verify(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("timeout");
  }

  private static long verifyThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("onceward-inbox-verify"))
        .count();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertUnavailable(
      JdbcInbox inbox, Duration timeout) {
    var assertion =
        assertThatThrownBy(() -> inbox.verify(timeout))
            .isInstanceOf(InboxUnavailableException.class)
            .hasMessageStartingWith("inbox data source ");
    assertion.message().doesNotContain("\n");
    return assertion;
  }

  private static final class Uninterruptibly {
    static void await(CountDownLatch latch) {
      boolean interrupted = false;
      try {
        while (latch.getCount() > 0) {
          try {
            latch.await();
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
