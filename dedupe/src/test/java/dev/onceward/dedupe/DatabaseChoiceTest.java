package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which database an inbox takes its data source for. */
class DatabaseChoiceTest {
  @RegisterExtension static final H2Database H2 = new H2Database();

  @Test
  void aDatabaseUnderAnotherNameHasToBeNamed() throws Exception {
    WatchedDataSource renamed = new WatchedDataSource(() -> named("Acme DB"));

    assertThatThrownBy(() -> JdbcInbox.on(renamed).verify(Duration.ofSeconds(30)))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("does not know: Acme DB")
        .hasMessageContaining("PostgreSQL, MySQL, MariaDB and H2")
        .hasMessageContaining("JdbcInbox.builder(...).database(...)")
        .message()
        .doesNotContain("\n");
    JdbcInbox told = JdbcInbox.builder(renamed).database(Database.H2).build();
    told.createSchema();
    assertThat(told.process(event("e1"), tx -> {})).isEqualTo(InboxOutcome.APPLIED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Database.class,
      names = {"POSTGRESQL", "MYSQL", "MARIADB"})
  void aConnectionThatLeadsToAnotherDatabaseThanTheOneNamedIsRefused(Database named) {
    JdbcInbox inbox = builder(named).build();
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> inbox.verify(Duration.ofSeconds(30)),
            inbox::createSchema,
            inbox::maintain,
            () -> inbox.process(event("e1"), tx -> {}))) {
      assertThatThrownBy(use)
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("leads to H2, but the inbox was built for " + named.productName())
          .hasMessageContaining("JdbcInbox.builder(...).database(...)")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void mysqlAndMariaDbPassForEachOther() {
    for (String product : List.of("MySQL", "MariaDB")) {
      JdbcInbox inbox =
          JdbcInbox.builder(new WatchedDataSource(() -> named(product)))
              .database(product.equals("MySQL") ? Database.MARIADB : Database.MYSQL)
              .build();
      // as far as its SQL, which this database does not know
      assertThatThrownBy(() -> inbox.process(event("e1"), tx -> {}))
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("cannot claim");
    }
  }

  @Test
  void whatTheFirstConnectionSaysIsAskedOnce() throws Exception {
    JdbcInbox.on(H2.plain()).createSchema();
    JdbcInbox inbox =
        JdbcInbox.on(new WatchedDataSource(() -> named(asked++ == 0 ? "H2" : "Acme DB")));

    inbox.process(event("e2"), tx -> {});
    assertThat(inbox.process(event("e2"), tx -> {})).isEqualTo(InboxOutcome.DUPLICATE);
  }

  private int asked;

  @ParameterizedTest
  @EnumSource(
      value = Database.class,
      names = {"MYSQL", "MARIADB", "H2"})
  void whatItCannotKeepIsRefusedWhenItIsBuilt(Database database) {
    Duration second = Duration.ofSeconds(1);
    refused(builder(database).lockTimeout(second), "lockTimeout", database);
    refused(builder(database).idleTimeout(second), "idleTimeout", database);
    refused(builder(database).boundSettings("app.tenant_id"), "boundSettings", database);
    refused(builder(database).hygiene(ConnectionHygiene.standard()), "hygiene", database);
    refused(
        builder(database).isolation(TransactionIsolation.SERIALIZABLE),
        "isolation(SERIALIZABLE)",
        database);
    builder(database).hygiene(ConnectionHygiene.off()).lockTimeout(Duration.ZERO).build();
  }

  @Test
  void postgresKeepsAllOfThem() {
    builder(Database.POSTGRESQL)
        .lockTimeout(Duration.ofSeconds(1))
        .idleTimeout(Duration.ofSeconds(1))
        .boundSettings("app.tenant_id")
        .hygiene(ConnectionHygiene.standard())
        .isolation(TransactionIsolation.SERIALIZABLE)
        .build();
  }

  private static void refused(JdbcInbox.Builder builder, String setting, Database database) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("JdbcInbox.builder(...)." + setting)
        .hasMessageContaining("cannot be kept on " + database.productName())
        .hasMessageContaining("remove it")
        .message()
        .doesNotContain("\n");
  }

  private static JdbcInbox.Builder builder(Database database) {
    return JdbcInbox.builder(H2.plain()).database(database);
  }

  private static Connection named(String product) throws java.sql.SQLException {
    Connection raw = H2.plain().getConnection();
    DatabaseMetaData metaData =
        Connections.answering(
            DatabaseMetaData.class, raw.getMetaData(), "getDatabaseProductName", product);
    return Connections.answering(Connection.class, raw, "getMetaData", metaData);
  }
}
