package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class SchemaTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @Test
  void theScriptAndTheCodeCreateTheSameTables() throws Exception {
    DATABASE.execute("CREATE SCHEMA by_hand");
    try (Connection connection = DATABASE.plain().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path TO by_hand");
      statement.execute(script());
      statement.execute(script());
    }
    JdbcInbox.builder(DATABASE.plain()).schema("by_code").build().createSchema();
    JdbcInbox.builder(DATABASE.plain())
        .schema("prefixed")
        .tablePrefix("acme_")
        .build()
        .createSchema();

    List<String> byHand = describe("by_hand");
    assertThat(byHand).hasSizeGreaterThan(12);
    assertThat(describe("by_code")).isEqualTo(byHand);
    assertThat(describe("prefixed").stream().map(line -> line.replace("acme_", "onceward_")))
        .isEqualTo(byHand);
    JdbcInbox.builder(DATABASE.plain()).schema("by_hand").build().verify(Duration.ofSeconds(30));
  }

  @Test
  void creatingTwiceChangesNothing() throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(DATABASE.plain()).schema("twice").build();
    inbox.createSchema();
    assertThat(inbox.process(event("e1"), tx -> {})).isEqualTo(APPLIED);

    inbox.createSchema();

    assertThat(inbox.process(event("e1"), tx -> {})).isEqualTo(DUPLICATE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read"})
  void manyProcessesCanCreateAtOnce(String isolation) throws Exception {
    int creators = 8;
    ExecutorService threads = Executors.newFixedThreadPool(creators);
    try {
      for (int round = 0; round < 5; round++) {
        String schema = "Odd \"name " + isolation + round;
        CountDownLatch start = new CountDownLatch(creators);
        List<Future<?>> created = new ArrayList<>();
        for (int i = 0; i < creators; i++) {
          PGSimpleDataSource dataSource = DATABASE.plain();
          dataSource.setOptions(
              "-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
          JdbcInbox inbox = JdbcInbox.builder(dataSource).schema(schema).build();
          created.add(
              threads.submit(
                  () -> {
                    start.countDown();
                    start.await();
                    inbox.createSchema();
                    return null;
                  }));
        }
        for (Future<?> future : created) {
          future.get();
        }
        JdbcInbox inbox = JdbcInbox.builder(DATABASE.plain()).schema(schema).build();
        inbox.verify(Duration.ofSeconds(30));
        assertThat(inbox.process(event("e1", "k", 1), tx -> {})).isEqualTo(APPLIED);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void inboxesWithSchemasAndPrefixesOfTheirOwnDoNotSeeEachOther() throws Exception {
    List<JdbcInbox> inboxes =
        List.of(
            JdbcInbox.builder(DATABASE.plain()).schema("one").build(),
            JdbcInbox.builder(DATABASE.plain()).schema("two").build(),
            JdbcInbox.builder(DATABASE.plain()).schema("two").tablePrefix("three_").build());
    for (JdbcInbox inbox : inboxes) {
      inbox.createSchema();
      assertThat(inbox.process(event("e1", "k", 1), tx -> {})).isEqualTo(APPLIED);
      assertThat(inbox.process(event("e1", "k", 1), tx -> {})).isEqualTo(DUPLICATE);
    }
  }

  @Test
  void aRoleThatMayNotCreateTablesIsToldSo() throws SQLException {
    DATABASE.execute("CREATE ROLE guest LOGIN");
    PGSimpleDataSource guest = DATABASE.plain();
    guest.setUser("guest");

    assertThatThrownBy(() -> JdbcInbox.builder(guest).schema("guests").build().createSchema())
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("cannot create the inbox's tables")
        .hasMessageContaining("permission denied");
  }

  @Test
  void settingsOutOfRangeAreRefusedByName() {
    JdbcInbox.Builder builder = JdbcInbox.builder(DATABASE.plain());
    assertThatThrownBy(() -> builder.lockTimeout(Duration.ofMillis(-1)))
        .hasMessageContaining("lockTimeout");
    assertThatThrownBy(() -> builder.transactionRetries(-1).build())
        .hasMessageContaining("transactionRetries");
    assertThatThrownBy(
            () ->
                JdbcInbox.builder(DATABASE.plain())
                    .retryBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1))
                    .build())
        .hasMessageContaining("retryBackoff");
    for (String prefix : List.of("", "1a", "a-b", "a;DROP", "A", "x".repeat(32))) {
      assertThatThrownBy(() -> JdbcInbox.builder(DATABASE.plain()).tablePrefix(prefix).build())
          .hasMessageContaining("tablePrefix");
    }
    assertThatThrownBy(() -> JdbcInbox.builder(DATABASE.plain()).schema(" ").build())
        .hasMessageContaining("schema");
  }

  private static String script() throws Exception {
    try (InputStream in = JdbcInbox.class.getResourceAsStream("postgresql.sql")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Tables with options and comments, columns, constraints and indexes, without the schema. */
  private static List<String> describe(String schema) throws SQLException {
    return DATABASE.texts(
        """
        WITH t AS (
          SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = '%1$s' AND c.relkind IN ('r', 'p'))
        SELECT replace(line, '%1$s.', '') FROM (
          SELECT concat_ws(' ', relname, reloptions, obj_description(oid, 'pg_class'),
              pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid)) FROM t
          UNION ALL
          SELECT concat_ws(' ', relname, attnum, attname, format_type(atttypid, atttypmod),
              attnotnull, attidentity, pg_get_expr(adbin, adrelid))
            FROM t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0
            LEFT JOIN pg_attrdef ON adrelid = t.oid AND adnum = attnum
          UNION ALL
          SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(pg_constraint.oid))
            FROM t JOIN pg_constraint ON conrelid = t.oid
          UNION ALL
          SELECT indexdef FROM pg_indexes WHERE schemaname = '%1$s') lines(line)
        ORDER BY 1
        """
            .formatted(schema));
  }
}
