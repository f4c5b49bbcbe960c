package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.hygiene.Leaks.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.CommitRefusedException;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Two tenants behind row-level security share a pool of one connection. Work of one goes wrong in
 * every way there is; then work runs that has no tenant, and must read nothing. Without hygiene it
 * reads what is not its own: the tests assert that too, or those with hygiene would prove nothing.
 */
class TenantIsolationTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createTables() throws SQLException {
    JdbcInbox.on(DATABASE.plain()).createSchema();
    Leaks.createFunctions(DATABASE);
    // a role of its own: row-level security does not hold for superusers and owners
    DATABASE.execute(
        "CREATE ROLE tenants LOGIN;"
            + "CREATE TABLE invoice (tenant text NOT NULL, amount int);"
            + "INSERT INTO invoice VALUES ('a', 1), ('a', 2), ('b', 3);"
            + "ALTER TABLE invoice ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
            + "CREATE POLICY own ON invoice USING"
            + " (tenant = nullif(current_setting('app.tenant_id', true), ''));"
            + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tenants");
  }

  @BeforeEach
  void open() throws SQLException {
    DATABASE.execute("TRUNCATE onceward_processed_event");
    PGSimpleDataSource source = DATABASE.plain();
    source.setUser("tenants");
    pool = DATABASE.pool(1, source);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  interface Work {
    void on(Connection connection) throws SQLException;
  }

  /** What goes wrong while tenant a is served. */
  record Mishap(String what, Work work) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Mishap mishap(String what, Work work) {
    return new Mishap(what, work);
  }

  /** Mishaps of code that has a connection of its own. */
  static Stream<Mishap> ofBorrowers() {
    return Stream.concat(
        ofHandlers(),
        Stream.of(
            mishap("raw SET", connection -> execute(connection, "SET app.tenant_id = 'a'")),
            mishap(
                "an early return inside a transaction",
                connection -> {
                  connection.setAutoCommit(false);
                  execute(connection, "SET app.tenant_id = 'a'");
                  connection.commit();
                  execute(connection, "SELECT 1");
                }),
            mishap(
                "a swallowed SQL error",
                connection -> {
                  execute(connection, "SET app.tenant_id = 'a'");
                  connection.setAutoCommit(false);
                  swallow(connection, "SELECT 1/0");
                })));
  }

  /** Mishaps of handlers, whose connection refuses a raw SET. */
  static Stream<Mishap> ofHandlers() {
    return Stream.of(
        mishap(
            "set_config(..., false)",
            connection -> execute(connection, "SELECT set_config('app.tenant_id', 'a', false)")),
        mishap(
            "set_config with parameters",
            connection -> {
              try (PreparedStatement statement =
                  connection.prepareStatement("SELECT set_config(?, ?, ?)")) {
                statement.setString(1, TENANT);
                statement.setString(2, "a");
                statement.setBoolean(3, false);
                statement.execute();
              }
            }),
        mishap("a function", connection -> execute(connection, "SELECT become('a')")),
        mishap(
            "an anonymous block",
            connection -> execute(connection, "DO $$ BEGIN SET app.tenant_id = 'a'; END $$")),
        mishap(
            "a local setting over one of the session",
            connection -> {
              execute(connection, "SELECT become('a')");
              execute(connection, "SELECT set_config('app.tenant_id', '', true)");
            }));
  }

  @ParameterizedTest
  @MethodSource("ofBorrowers")
  void withHygieneNoBorrowerReadsARowOfAnotherTenant(Mishap mishap) throws SQLException {
    HygienicDataSource dataSource = HygienicDataSource.over(pool, hygiene());
    assertThat(readWithoutTenant(dataSource)).isEmpty();
    assertThat(serveTenantA(dataSource, mishap)).isInstanceOf(HygieneViolationException.class);
    for (int i = 0; i < 5; i++) {
      assertThat(readWithoutTenant(dataSource)).isEmpty();
      assertThat(readAs(dataSource, "b")).containsExactly(3);
    }
    assertThat(dataSource.counts().violations()).isOne();
  }

  @ParameterizedTest
  @MethodSource("ofBorrowers")
  void withoutHygieneTheNextBorrowerReadsRowsOfAnotherTenant(Mishap mishap) throws SQLException {
    HygienicDataSource dataSource = HygienicDataSource.over(pool, ConnectionHygiene.off());
    assertThat(readWithoutTenant(dataSource)).isEmpty();
    assertThat(serveTenantA(dataSource, mishap)).isNull();
    assertThat(readWithoutTenant(dataSource)).containsExactly(1, 2);
  }

  /** What giving the connection back throws, or null. */
  private static @Nullable RuntimeException serveTenantA(DataSource dataSource, Mishap mishap)
      throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      mishap.work().on(connection);
    } catch (HygieneViolationException e) {
      return e;
    }
    return null;
  }

  @ParameterizedTest
  @MethodSource("ofHandlers")
  void withHygieneNoHandlerReadsARowOfAnotherTenant(Mishap mishap) throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(pool).hygiene(hygiene()).build();
    assertThat(readInInbox(inbox, "before")).isEmpty();
    for (int i = 0; i < 5; i++) {
      try {
        inbox.process(event("billing", "a" + i), tx -> mishap.work().on(tx));
      } catch (HygieneViolationException e) {
        assertThat(e.leaks()).containsExactly(new Leak(LeakKind.SETTING, TENANT));
      }
      assertThat(readInInbox(inbox, "after " + i)).isEmpty();
      assertThat(readAs(pool, "b")).containsExactly(3);
    }
    assertThat(inbox.hygiene().orElseThrow().violations()).isEqualTo(5);
    assertThat(inbox.hygiene().orElseThrow().evictions()).isEqualTo(5);
  }

  @ParameterizedTest
  @MethodSource("ofHandlers")
  void withoutHygieneTheNextHandlerReadsRowsOfAnotherTenant(Mishap mishap) throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(pool).hygiene(ConnectionHygiene.off()).build();
    assertThat(readInInbox(inbox, "before")).isEmpty();
    inbox.process(event("billing", "a"), tx -> mishap.work().on(tx));
    assertThat(readInInbox(inbox, "after")).containsExactly(1, 2);
  }

  @Test
  void anEarlyReturnAndASwallowedErrorInAHandlerLeaveNothingToRead() throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(pool).hygiene(hygiene()).build();
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("billing", "e1"),
                    tx -> {
                      execute(tx, "SELECT become('a')");
                      swallow(tx, "SELECT 1/0");
                    }))
        .isInstanceOf(CommitRefusedException.class);
    assertThat(readInInbox(inbox, "after an error")).isEmpty();
    inbox.process(
        event("billing", "e2"), tx -> execute(tx, "SET LOCAL app.tenant_id = 'a'; SELECT 1"));
    assertThat(readInInbox(inbox, "after a return")).isEmpty();
    assertThat(inbox.hygiene().orElseThrow().violations()).isZero();
  }

  private static ConnectionHygiene hygiene() {
    return ConnectionHygiene.builder().watch(TENANT).build();
  }

  private static List<Integer> readInInbox(JdbcInbox inbox, String id) throws Exception {
    List<Integer> amounts = new ArrayList<>();
    inbox.process(event("reader", id), tx -> amounts.addAll(read(tx)));
    return amounts;
  }

  private static List<Integer> readWithoutTenant(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return read(connection);
    }
  }

  private static List<Integer> readAs(DataSource dataSource, String tenant) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT set_config('app.tenant_id', ?, true)")) {
        statement.setString(1, tenant);
        statement.execute();
      }
      List<Integer> amounts = read(connection);
      connection.commit();
      connection.setAutoCommit(true);
      return amounts;
    }
  }

  private static List<Integer> read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT amount FROM invoice ORDER BY 1")) {
      List<Integer> amounts = new ArrayList<>();
      while (rows.next()) {
        amounts.add(rows.getInt(1));
      }
      return amounts;
    }
  }

  private static void swallow(Connection connection, String sql) {
    try {
      execute(connection, sql);
      throw new AssertionError("did not fail: " + sql);
    } catch (SQLException e) {
      // swallowed, as careless code would
    }
  }
}
