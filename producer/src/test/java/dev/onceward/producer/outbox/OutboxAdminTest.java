package dev.onceward.producer.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

class OutboxAdminTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @Test
  void theScriptAndTheCodeCreateTheSameTables() throws Exception {
    DATABASE.execute("CREATE SCHEMA by_hand");
    try (Connection connection = DATABASE.dataSource("by_hand").getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(script());
      statement.execute(script());
    }
    admin("by_code").createSchema();
    admin("by_code").createSchema();
    OutboxAdmin.on(DATABASE.dataSource(), "prefixed", "acme_").createSchema();

    List<String> byHand = describe("by_hand");
    assertThat(byHand).hasSizeGreaterThan(20);
    assertThat(describe("by_code")).isEqualTo(byHand);
    assertThat(describe("prefixed").stream().map(line -> line.replace("acme_", "onceward_")))
        .isEqualTo(byHand);
    admin("by_hand").verify();
    OutboxAdmin.on(DATABASE.dataSource(), "prefixed", "acme_").verify();
    OutboxAdmin.on(DATABASE.dataSource("by_hand")).verify();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ALTER SEQUENCE onceward_outbox_seq CACHE 50 | must have CACHE 1",
        "ALTER SEQUENCE onceward_outbox_seq CYCLE | NO CYCLE",
        "ALTER TABLE onceward_outbox DROP CONSTRAINT onceward_outbox_pkey | ADD PRIMARY KEY (bucket, seq)",
        "DROP TABLE onceward_outbox_dead | onceward_outbox_dead missing",
        "DELETE FROM onceward_outbox_lease WHERE shard = 3 | a row for each shard"
      })
  void whatIsWrongIsNamedWithTheFix(String damage, String told) throws SQLException {
    String schema = "damaged_" + Integer.toHexString(damage.hashCode());
    admin(schema).createSchema();
    admin(schema).verify();
    try (Connection connection = DATABASE.dataSource(schema).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(damage);
    }

    assertThatThrownBy(admin(schema)::verify)
        .isInstanceOf(OutboxUnavailableException.class)
        .hasMessageStartingWith("the outbox cannot work: ")
        .hasMessageContaining(told)
        .message()
        .doesNotContain("\n");
    OutboxRelay relay =
        OutboxRelay.builder(Map.of("bootstrap.servers", "localhost:1"), DATABASE.dataSource())
            .schema(schema)
            .build();
    try (relay) {
      assertThatThrownBy(relay::start).hasMessageContaining(told);
      assertThat(relay.health().state()).isEqualTo(RelayHealth.State.NEW);
    }
    assertThat(relay.health().state()).isEqualTo(RelayHealth.State.STOPPED);
  }

  @Test
  void aUserWithoutPrivilegesIsToldWhichToGrant() throws SQLException {
    admin("guarded").createSchema();
    DATABASE.execute("CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA guarded TO guest");
    PGSimpleDataSource guest = DATABASE.dataSource();
    guest.setUser("guest");

    assertThatThrownBy(OutboxAdmin.on(guest, "guarded", "onceward_")::verify)
        .hasMessageContaining("GRANT SELECT, INSERT, UPDATE, DELETE ON onceward_outbox")
        .hasMessageContaining("GRANT SELECT ON SEQUENCE onceward_outbox_seq");
    assertThatThrownBy(() -> OutboxAdmin.on(guest, "guarded", "onceward_").deadRows(1))
        .isInstanceOf(OutboxUnavailableException.class)
        .hasMessageContaining("permission denied");
    assertThatThrownBy(OutboxAdmin.on(guest, "other", "onceward_")::createSchema)
        .hasMessageContaining("cannot create the outbox's tables");
  }

  @Test
  void aDatabaseThatCannotBeReachedIsNamedWithoutSecrets() {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setUrl("jdbc:postgresql://localhost:1/none?password=very-secret");
    assertThatThrownBy(OutboxAdmin.on(nowhere)::verify)
        .isInstanceOf(OutboxUnavailableException.class)
        .hasMessageContaining("check host and port")
        .message()
        .doesNotContain("very-secret");
  }

  @Test
  void whatIsNotThereIsNeitherReleasedNorDiscarded() {
    OutboxAdmin admin = admin("empty");
    admin.createSchema();
    assertThat(admin.deadRows(5)).isEmpty();
    assertThat(admin.release(1)).isFalse();
    assertThat(admin.discard(1)).isFalse();
    assertThat(admin.releaseAll("topic")).isZero();
    assertThatThrownBy(() -> admin.deadRows(0)).hasMessageContaining("limit");
  }

  @Test
  void settingsThatContradictAreRefusedByName() {
    Map<String, Object> kafka = Map.of("bootstrap.servers", "localhost:1");
    OutboxRelay.Builder builder = OutboxRelay.builder(kafka, DATABASE.dataSource());
    assertThatThrownBy(() -> builder.leaseDuration(Duration.ofMillis(10)))
        .hasMessageContaining("leaseDuration");
    assertThatThrownBy(() -> builder.maxInFlight(1)).hasMessageContaining("maxInFlight");
    assertThatThrownBy(() -> builder.name("a b")).hasMessageContaining("name");
    assertThatThrownBy(
            () ->
                OutboxRelay.builder(
                        Map.of("bootstrap.servers", "localhost:1", "acks", "1"),
                        DATABASE.dataSource())
                    .build())
        .hasMessageContaining("acks must be all");
    assertThatThrownBy(() -> Outbox.builder().tablePrefix("a-b").build())
        .hasMessageContaining("tablePrefix");
    assertThatThrownBy(() -> Outbox.builder().maxRecordBytes(0))
        .hasMessageContaining("maxRecordBytes");
    assertThatCode(() -> Outbox.builder().schema("x").build()).doesNotThrowAnyException();
  }

  private static OutboxAdmin admin(String schema) {
    return OutboxAdmin.on(DATABASE.dataSource(), schema, "onceward_");
  }

  private static String script() throws Exception {
    try (InputStream in = OutboxAdmin.class.getResourceAsStream("postgresql.sql")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Tables with options and comments, columns, constraints, indexes and sequences. */
  private static List<String> describe(String schema) throws SQLException {
    return DATABASE.texts(
        """
        WITH t AS (
          SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = '%1$s' AND c.relkind IN ('r', 'S'))
        SELECT replace(line, '%1$s.', '') FROM (
          SELECT concat_ws(' ', relname, reloptions, obj_description(oid, 'pg_class')) FROM t
          UNION ALL
          SELECT concat_ws(' ', relname, attnum, attname, format_type(atttypid, atttypmod),
              attnotnull, attstorage, pg_get_expr(adbin, adrelid))
            FROM t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0
            LEFT JOIN pg_attrdef ON adrelid = t.oid AND adnum = attnum
          UNION ALL
          SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(pg_constraint.oid))
            FROM t JOIN pg_constraint ON conrelid = t.oid
          UNION ALL
          SELECT concat_ws(' ', relname, seqcache, seqincrement, seqcycle)
            FROM t JOIN pg_sequence ON seqrelid = t.oid
          UNION ALL
          SELECT indexdef FROM pg_indexes WHERE schemaname = '%1$s') lines(line)
        ORDER BY 1
        """
            .formatted(schema));
  }
}
