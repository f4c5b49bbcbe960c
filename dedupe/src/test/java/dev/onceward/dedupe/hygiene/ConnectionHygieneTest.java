package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.hygiene.Leaks.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.TestDatabase;
import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class ConnectionHygieneTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createFunctions() throws SQLException {
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

  @ParameterizedTest
  @EnumSource(names = {"EVICT", "WARN"})
  void withoutFailTheBorrowerNoticesNothingAndTheListenerIsTold(OnLeak onLeak) throws SQLException {
    List<HygieneViolationException> told = new CopyOnWriteArrayList<>();
    HygienicDataSource dataSource = hygienic(strict().onLeak(onLeak).listener(told::add).build());
    int backend;
    try (Connection connection = dataSource.getConnection()) {
      backend = connection.unwrap(PGConnection.class).getBackendPID();
      execute(connection, "SET app.tenant_id = 'a'");
    }
    try (Connection next = dataSource.getConnection()) {
      boolean same = next.unwrap(PGConnection.class).getBackendPID() == backend;
      assertThat(same).isEqualTo(onLeak == OnLeak.WARN);
      execute(next, "RESET app.tenant_id");
    }
    assertThat(told).hasSize(1);
    assertThat(told.get(0).leaks()).containsExactly(new Leak(LeakKind.SETTING, TENANT));
    assertThat(dataSource.counts().evictions()).isEqualTo(onLeak == OnLeak.WARN ? 0 : 1);
  }

  @Test
  void aTextThatShowsTheLeakIsFollowedUpWhateverTheRate() throws SQLException {
    HygienicDataSource dataSource = hygienic(ConnectionHygiene.builder().checkRate(0).build());
    try (Connection connection = dataSource.getConnection()) {
      execute(connection, "SELECT hold()"); // shows in no text
    }
    assertThat(dataSource.counts().serverChecks()).isZero();
    Connection connection = dataSource.getConnection();
    execute(connection, "SELECT pg_advisory_lock(1)");
    assertThatThrownBy(connection::close).hasMessageContaining("advisory lock");
  }

  @Test
  void watchedSettingsAreLookedAtOnEveryConnectionWhateverTheRate() throws SQLException {
    HygienicDataSource dataSource = hygienic(builder().checkRate(0).build());
    try (Connection connection = dataSource.getConnection()) {
      execute(connection, "SELECT become('a')");
      execute(connection, "SELECT become('')");
    }
    for (int i = 0; i < 3; i++) {
      Connection connection = dataSource.getConnection();
      execute(connection, i == 1 ? "SELECT report()" : "SELECT become('a')");
      assertThatThrownBy(connection::close).isInstanceOf(HygieneViolationException.class);
    }
    assertThat(dataSource.counts().serverChecks()).isEqualTo(4);
  }

  @Test
  void cheapChecksAskNobody() throws SQLException {
    HygienicDataSource dataSource = hygienic(ConnectionHygiene.builder().checkRate(0).build());
    Connection zoned = dataSource.getConnection();
    execute(zoned, "SELECT shift()"); // shows in no text, but the server reports it
    assertThatThrownBy(zoned::close).hasMessageContaining("TimeZone");
    long checks = dataSource.counts().serverChecks();
    Connection open = dataSource.getConnection();
    open.setAutoCommit(false);
    execute(open, "SELECT 1");
    assertThatThrownBy(open::close)
        .isInstanceOfSatisfying(
            HygieneViolationException.class,
            e ->
                assertThat(e.leaks())
                    .containsExactly(
                        Leak.of(LeakKind.OPEN_TRANSACTION), Leak.of(LeakKind.AUTOCOMMIT)));
    assertThat(dataSource.counts().serverChecks()).isEqualTo(checks);
  }

  @Test
  void whatThePoolSetsBackItselfCanBeIgnored() throws SQLException {
    HygienicDataSource dataSource = hygienic(strict().ignoring(LeakKind.jdbcState()).build());
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      connection.setReadOnly(true);
      execute(connection, "SELECT 1");
      connection.commit();
    }
    assertThat(dataSource.counts().violations()).isZero();
  }

  @Test
  void aStatedValueCountsAndNotThatOfTheFirstConnection() throws SQLException {
    configure(config -> config.setConnectionInitSql("SET app.tenant_id = 'left by somebody'"));
    HygienicDataSource dataSource =
        hygienic(ConnectionHygiene.builder().expect("APP.tenant_id", "").build());
    Connection connection = dataSource.getConnection();
    assertThatThrownBy(connection::close).hasMessageContaining(TENANT);
  }

  @Test
  void anEvictorThatFailsEndsInAnAbort() throws SQLException {
    HygienicDataSource dataSource =
        hygienic(
            strict()
                .evictor(
                    (from, connection) -> {
                      throw new SQLException("the pool does not know it");
                    })
                .build());
    Connection connection = dataSource.getConnection();
    int backend = connection.unwrap(PGConnection.class).getBackendPID();
    execute(connection, "SET app.tenant_id = 'a'");
    assertThatThrownBy(connection::close).isInstanceOf(HygieneViolationException.class);
    try (Connection next = dataSource.getConnection()) {
      assertThat(next.unwrap(PGConnection.class).getBackendPID()).isNotEqualTo(backend);
    }
  }

  @Test
  void offHandsOutThePoolsOwnConnections() throws SQLException {
    HygienicDataSource dataSource = hygienic(ConnectionHygiene.off());
    try (Connection connection = dataSource.getConnection()) {
      execute(connection, "SET app.tenant_id = 'a'");
    }
    assertThat(dataSource.counts()).isEqualTo(new HygieneCounts(0, 0, 0, 0, 0, Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "x'; DROP TABLE item; --", ".a", "a.", "1a"})
  void namesThatCanBeNoSettingAreRefused(String name) {
    assertThatThrownBy(() -> ConnectionHygiene.builder().watch(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no name of a setting");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void ratesOutOfRangeAreRefused(double rate) {
    assertThatThrownBy(() -> ConnectionHygiene.builder().checkRate(rate))
        .hasMessageContaining("checkRate must be 0 to 1");
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
