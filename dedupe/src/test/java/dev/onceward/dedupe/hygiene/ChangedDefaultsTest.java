package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.Events;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The settings with which sessions begin are changed while the application runs. */
class ChangedDefaultsTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final List<HygieneViolationException> told = new CopyOnWriteArrayList<>();
  private HikariDataSource pool = new HikariDataSource();

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void open() throws SQLException {
    DATABASE.execute("TRUNCATE ledger, onceward_processed_event");
    pool = DATABASE.pool(1);
  }

  @AfterEach
  void close() throws SQLException {
    pool.close();
    DATABASE.execute("ALTER DATABASE " + DATABASE.name() + " RESET ALL");
  }

  @Test
  void whatNewSessionsBeginWithIsNobodysLeak() throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(pool).hygiene(strict().build()).build();
    assertThat(inbox.process(event("e1"), Events.charge("a", 1))).isEqualTo(APPLIED);
    changeDefaults();
    for (int i = 2; i < 6; i++) {
      assertThat(inbox.process(event("e" + i), Events.charge("a", 1))).isEqualTo(APPLIED);
    }
    assertThat(told).isEmpty();
    assertThat(inbox.hygiene().orElseThrow().evictions()).isZero();

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e6"),
                    Events.sql("SELECT set_config('statement_timeout', '40s', false)")))
        .isInstanceOfSatisfying(
            HygieneViolationException.class,
            e ->
                assertThat(e.leaks())
                    .containsExactly(new Leak(LeakKind.SETTING, "statement_timeout")));
  }

  @Test
  void borrowersOfAHygienicDataSourceAreNotBlamedEither() throws Exception {
    HygienicDataSource dataSource = HygienicDataSource.over(pool, strict().build());
    dataSource.getConnection().close();
    changeDefaults();
    for (int i = 0; i < 3; i++) {
      dataSource.getConnection().close();
    }
    assertThat(told).isEmpty();
  }

  @Test
  void whatTheUserExpectsIsExpectedOfNewSessionsToo() throws Exception {
    HygienicDataSource dataSource =
        HygienicDataSource.over(pool, strict().expect("statement_timeout", "0").build());
    dataSource.getConnection().close();
    changeDefaults();
    Connection changed = dataSource.getConnection();
    assertThatThrownBy(changed::close)
        .isInstanceOfSatisfying(
            HygieneViolationException.class,
            e ->
                assertThat(e.leaks())
                    .containsExactly(new Leak(LeakKind.SETTING, "statement_timeout")));
  }

  private void changeDefaults() throws SQLException {
    String database = "ALTER DATABASE " + DATABASE.name();
    DATABASE.execute(database + " SET statement_timeout = '50s'");
    DATABASE.execute(database + " SET search_path = public, pg_catalog");
    DATABASE.execute(database + " SET \"TimeZone\" = 'Asia/Tokyo'");
    pool.getHikariPoolMXBean().softEvictConnections();
  }

  private ConnectionHygiene.Builder strict() {
    return ConnectionHygiene.builder().checkRate(1).listener(told::add);
  }
}
