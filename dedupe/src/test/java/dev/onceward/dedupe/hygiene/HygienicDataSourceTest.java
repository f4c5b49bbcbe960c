package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.hygiene.Leaks.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

class HygienicDataSourceTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createSchema() throws SQLException {
    DATABASE.execute("CREATE TABLE item (id int)");
    Leaks.createFunctions(DATABASE);
  }

  @BeforeEach
  void open() {
    pool = DATABASE.pool(1);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  interface Use {
    void of(Connection connection) throws SQLException;
  }

  record Leaving(String what, LeakKind kind, String name, Use use) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Leaving sql(String sql, LeakKind kind, String name) {
    return new Leaving(sql, kind, name, connection -> execute(connection, sql));
  }

  private static Leaving call(String what, LeakKind kind, Use use) {
    return new Leaving(what, kind, "", use);
  }

  static Stream<Leaving> leaks() {
    return Stream.of(
        sql("SET app.tenant_id = 'a'", LeakKind.SETTING, TENANT),
        sql("SELECT set_config('app.tenant_id', 'a', false)", LeakKind.SETTING, TENANT),
        sql("SELECT become('a')", LeakKind.SETTING, TENANT),
        sql("SET statement_timeout = '1h'", LeakKind.SETTING, "statement_timeout"),
        sql("SET TIME ZONE 'Asia/Tokyo'", LeakKind.SETTING, "TimeZone"),
        sql("SET search_path = pg_catalog", LeakKind.SEARCH_PATH, ""),
        sql("SET ROLE reporting", LeakKind.ROLE, "role"),
        sql("SELECT report()", LeakKind.ROLE, "role"),
        sql("SELECT pg_advisory_lock(1), pg_advisory_lock(2)", LeakKind.ADVISORY_LOCK, "2 held"),
        sql("SELECT hold()", LeakKind.ADVISORY_LOCK, "1 held"),
        sql("CREATE TEMP TABLE pile (i serial)", LeakKind.TEMPORARY_TABLE, "pile, pile_i_seq"),
        sql("SELECT pile()", LeakKind.TEMPORARY_TABLE, "heap"),
        sql("LISTEN a; LISTEN b", LeakKind.LISTEN, "a, b"),
        sql("SELECT hear()", LeakKind.LISTEN, "news"),
        sql(
            "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 1; COMMIT",
            LeakKind.HOLDABLE_CURSOR,
            "c"),
        sql("BEGIN", LeakKind.OPEN_TRANSACTION, ""),
        call(
            "an early return inside a transaction",
            LeakKind.OPEN_TRANSACTION,
            connection -> {
              connection.setAutoCommit(false);
              execute(connection, "INSERT INTO item VALUES (1)");
            }),
        call(
            "a swallowed SQL error",
            LeakKind.FAILED_TRANSACTION,
            connection -> {
              connection.setAutoCommit(false);
              assertThatThrownBy(() -> execute(connection, "SELECT 1/0"))
                  .isInstanceOf(SQLException.class);
            }),
        call("setAutoCommit", LeakKind.AUTOCOMMIT, connection -> connection.setAutoCommit(false)),
        call("setReadOnly", LeakKind.READ_ONLY, connection -> connection.setReadOnly(true)),
        call(
            "setTransactionIsolation",
            LeakKind.ISOLATION,
            c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)),
        call(
            "setNetworkTimeout",
            LeakKind.NETWORK_TIMEOUT,
            connection -> connection.setNetworkTimeout(Runnable::run, 60_000)),
        new Leaving(
            "open statements",
            LeakKind.STATEMENT,
            "2 of them",
            connection -> {
              connection.createStatement();
              connection.prepareStatement("SELECT 1").executeQuery();
            }));
  }

  @ParameterizedTest
  @MethodSource("leaks")
  void whatIsLeftFailsTheBorrowerAndNobodyGetsTheConnectionAgain(Leaving leaving)
      throws SQLException {
    HygienicDataSource dataSource = hygienic(strict().build());
    try (Connection clean = dataSource.getConnection()) {
      execute(clean, "SELECT 1"); // the baseline
    }
    Connection connection = dataSource.getConnection();
    int backend = connection.unwrap(PGConnection.class).getBackendPID();
    leaving.use().of(connection);

    HygieneViolationException violation =
        catchThrowableOfType(HygieneViolationException.class, () -> giveBack(connection));

    assertThat(violation.leaks()).contains(new Leak(leaving.kind(), leaving.name()));
    assertThat(violation)
        .hasMessageContaining(leaving.kind().fix())
        .hasMessageContaining(violation.site().orElse("no site"));
    // the statement that shows it, or whoever gave the connection back
    assertThat(violation.site().orElse(""))
        .containsPattern("(Events.execute|HygienicDataSourceTest.giveBack).\\w+.java:[0-9]+");
    assertThat(violation.getStackTrace())
        .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("giveBack"));
    assertThat(connection.isClosed()).isTrue();
    assertThatCode(connection::close).doesNotThrowAnyException();
    try (Connection next = dataSource.getConnection()) {
      assertThat(next.unwrap(PGConnection.class).getBackendPID()).isNotEqualTo(backend);
    }
    assertThat(dataSource.counts().leaks()).containsKey(leaving.kind());
    assertThat(dataSource.counts().violations()).isOne();
    assertThat(dataSource.counts().evictions()).isOne();
  }

  @Test
  void theSchemaSetByJdbcIsFoundToo() throws SQLException {
    HygienicDataSource dataSource = hygienic(strict().build());
    Connection connection = dataSource.getConnection();
    connection.setSchema("pg_catalog");
    assertThat(catchThrowableOfType(HygieneViolationException.class, connection::close).leaks())
        .contains(Leak.of(LeakKind.SCHEMA), Leak.of(LeakKind.SEARCH_PATH));
  }

  @Test
  void nothingThatEndsWithTheTransactionOrWasSetBackIsALeak() throws SQLException {
    HygienicDataSource dataSource = hygienic(strict().build());
    for (int i = 0; i < 3; i++) {
      try (Connection connection = dataSource.getConnection()) {
        connection.setReadOnly(true);
        connection.setReadOnly(false);
        int isolation = connection.getTransactionIsolation();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        execute(connection, "SET LOCAL app.tenant_id = 'a'; SET LOCAL search_path = pg_catalog");
        execute(connection, "SELECT set_config('app.tenant_id', 'b', true)");
        execute(connection, "SET LOCAL ROLE reporting; SET LOCAL TIME ZONE 'Asia/Tokyo'");
        execute(connection, "SELECT pg_advisory_xact_lock(1)");
        connection.rollback();
        execute(connection, "SELECT lend('c')");
        execute(connection, "CREATE TEMP TABLE t (i serial) ON COMMIT DROP");
        execute(connection, "SELECT pg_advisory_lock(1)");
        execute(connection, "SELECT pg_advisory_unlock(1)");
        execute(connection, "DECLARE c CURSOR FOR SELECT 1");
        try (PreparedStatement statement = connection.prepareStatement("SELECT ?::int")) {
          for (int n = 0; n < 20; n++) { // a server-prepared statement stays in the driver
            statement.setInt(1, n);
            statement.executeQuery().close();
          }
        }
        connection.commit();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(true);
        execute(connection, "SET app.tenant_id = 'a'");
        execute(connection, "RESET app.tenant_id");
      }
    }
    assertThat(dataSource.counts().violations()).isZero();
    assertThat(dataSource.counts().serverChecks()).isEqualTo(3);
  }

  @Test
  void aPoolWithoutAutocommitIsLeftWithoutATransaction() throws SQLException {
    configure(config -> config.setAutoCommit(false));
    HygienicDataSource dataSource = hygienic(strict().build());
    for (int i = 0; i < 3; i++) {
      try (Connection connection = dataSource.getConnection()) {
        assertThat(connection.getAutoCommit()).isFalse();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        execute(connection, "SELECT 1");
        connection.commit();
      }
    }
    Connection forgotten = dataSource.getConnection();
    execute(forgotten, "SELECT 1");
    assertThatThrownBy(forgotten::close).hasMessageContaining("an open transaction");
  }

  @Test
  void valuesOfSettingsAreInNoMessage() throws SQLException {
    Connection connection = hygienic(strict().build()).getConnection();
    execute(connection, "SET app.tenant_id = 'secret'");
    assertThatThrownBy(connection::close).message().doesNotContain("secret");
  }

  @Test
  void theFailureOfTheBorrowersCodeIsKept() {
    HygienicDataSource dataSource = hygienic(strict().build());
    assertThatThrownBy(
            () -> {
              try (Connection connection = dataSource.getConnection()) {
                execute(connection, "SET app.tenant_id = 'a'");
                throw new IllegalStateException("of the borrower");
              }
            })
        .hasMessage("of the borrower")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1))
        .satisfies(
            e -> assertThat(e.getSuppressed()[0]).isInstanceOf(HygieneViolationException.class));
  }

  @Test
  void aConnectionThatBrokeIsNoViolation() throws SQLException {
    HygienicDataSource dataSource = hygienic(strict().build());
    Connection connection = dataSource.getConnection();
    int backend = connection.unwrap(PGConnection.class).getBackendPID();
    DATABASE.execute("SELECT pg_terminate_backend(" + backend + ", 5000)");
    connection.close();
    assertThat(dataSource.counts().violations()).isZero();
    assertThat(dataSource.counts().unreadable()).isOne();
    Connection aborted = dataSource.getConnection();
    aborted.abort(Runnable::run);
    Throwable unused = catchThrowable(aborted::close); // the pool's own answer, whatever it is
    try (Connection next = dataSource.getConnection()) {
      execute(next, "SELECT 1");
    }
  }

  @Test
  void aCrudePoolFindsTheEvictedConnectionClosed() throws SQLException {
    try (Connection raw = DATABASE.plain().getConnection()) {
      HygienicDataSource dataSource =
          HygienicDataSource.over(
              new dev.onceward.dedupe.WatchedDataSource(() -> raw), strict().build());
      Connection connection = dataSource.getConnection();
      execute(connection, "SET app.tenant_id = 'a'");
      assertThatThrownBy(connection::close).isInstanceOf(HygieneViolationException.class);
      assertThat(raw.isClosed()).isTrue();
    }
  }

  @Test
  void whatLibrariesAskOfAConnectionWorks() throws SQLException {
    HygienicDataSource dataSource = hygienic(strict().build());
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT 7")) {
      assertThat(statement.getConnection()).isSameAs(connection);
      assertThat(connection.equals(connection)).isTrue();
      assertThat(connection.hashCode()).isEqualTo(connection.hashCode());
      assertThat(connection.toString()).startsWith("hygienic ");
      assertThat(connection.isWrapperFor(PGConnection.class)).isTrue();
      assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
      assertThat(connection.isClosed()).isFalse();
      rows.next();
      assertThat(rows.getInt(1)).isEqualTo(7);
      assertThat(connection.prepareCall("SELECT 1"))
          .isInstanceOf(java.sql.CallableStatement.class)
          .satisfies(Statement::close);
    }
    assertThat(dataSource.unwrap(HikariDataSource.class)).isSameAs(pool);
    assertThat(dataSource.isWrapperFor(HikariDataSource.class)).isTrue();
    assertThatThrownBy(() -> dataSource.getConnection("user", "password"))
        .isInstanceOf(SQLFeatureNotSupportedException.class);
  }

  private static void giveBack(Connection connection) throws SQLException {
    connection.close();
  }

  private void configure(java.util.function.Consumer<HikariConfig> change) {
    pool.close();
    HikariConfig config = new HikariConfig();
    config.setDataSource(DATABASE.plain());
    config.setMaximumPoolSize(1);
    change.accept(config);
    pool = new HikariDataSource(config);
  }

  private HygienicDataSource hygienic(ConnectionHygiene hygiene) {
    DataSource source = pool;
    return HygienicDataSource.over(source, hygiene);
  }

  private static ConnectionHygiene.Builder builder() {
    return ConnectionHygiene.builder().watch(TENANT);
  }

  private static ConnectionHygiene.Builder strict() {
    return builder().checkRate(1);
  }
}
