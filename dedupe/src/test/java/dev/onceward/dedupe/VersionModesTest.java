package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.GAP;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** NEXT, and the guard on the handler's own row. */
class VersionModesTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  @BeforeAll
  static void createTables() throws SQLException {
    DATABASE.execute(
        "CREATE SCHEMA \"Shop\";"
            + "CREATE TABLE \"Shop\".\"Orders\" (\"Key\" text PRIMARY KEY, version bigint)");
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute(
        "TRUNCATE onceward_processed_event, onceward_entity_version, \"Shop\".\"Orders\"");
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void onlyTheNextVersionIsAppliedAndAGapLeavesNothingBehind() throws Exception {
    assertThat(next("e2", 2)).isEqualTo(GAP);
    assertThat(rows()).isEqualTo("0 0");
    assertThat(next("e1", 1)).isEqualTo(APPLIED);
    assertThat(next("e3", 3)).isEqualTo(GAP);
    assertThat(next("e2", 2)).isEqualTo(APPLIED);
    assertThat(next("e2", 2)).isEqualTo(DUPLICATE);
    assertThat(next("other", 2)).isEqualTo(STALE);
    assertThat(next("e3", 3)).isEqualTo(APPLIED);
    assertThat(next("e3 again", 1)).isEqualTo(STALE);
    assertThat(rows()).isEqualTo("3 1");
    assertThat(DATABASE.number("SELECT version FROM onceward_entity_version")).isEqualTo(3);
  }

  @Test
  void aBatchFillsItsOwnGapsInOrderOnly() throws Exception {
    List<InboxEntry> entries =
        List.of(entry("e2", 2), entry("e1", 1), entry("e3", 3), entry("e2b", 2));

    assertThat(inbox.processAll(entries, (tx, fresh) -> assertThat(fresh).containsExactly(1, 3)))
        .containsExactly(GAP, APPLIED, GAP, APPLIED);
    assertThat(rows()).as("none of the two gaps").isEqualTo("2 1");
    assertThat(next("e3", 3)).isEqualTo(APPLIED);
  }

  @Test
  void anEntityBeginsWithTheFirstVersionOneNames() throws Exception {
    assertThat(process("e9", EntityVersion.next("orders", "a", 9, 10))).isEqualTo(STALE);
    assertThat(process("e11", EntityVersion.next("orders", "a", 11, 10))).isEqualTo(GAP);
    assertThat(process("e10", EntityVersion.next("orders", "a", 10, 10))).isEqualTo(APPLIED);
    assertThat(process("e11", EntityVersion.next("orders", "a", 11, 10))).isEqualTo(APPLIED);
    assertThat(process("z0", EntityVersion.next("orders", "b", 0, 0))).isEqualTo(APPLIED);
    assertThat(process("z1", EntityVersion.next("orders", "b", 1, 0))).isEqualTo(APPLIED);
    assertThat(process("any", EntityVersion.nextFromAny("orders", "c", 77))).isEqualTo(APPLIED);
    assertThat(process("any2", EntityVersion.nextFromAny("orders", "c", 79))).isEqualTo(GAP);
    assertThatThrownBy(() -> EntityVersion.next("orders", "b", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("EntityVersion.next(scope, key, version, 0)");
  }

  @Test
  void theEndsOfTheRangeOfVersionsDoNotOverflow() throws Exception {
    long max = Long.MAX_VALUE;
    assertThat(process("a", EntityVersion.nextFromAny("o", "a", max))).isEqualTo(APPLIED);
    assertThat(process("b", EntityVersion.nextFromAny("o", "a", Long.MIN_VALUE))).isEqualTo(STALE);
    assertThat(process("c", EntityVersion.nextFromAny("o", "a", max))).isEqualTo(STALE);
    assertThat(process("d", EntityVersion.nextFromAny("o", "b", Long.MIN_VALUE)))
        .isEqualTo(APPLIED);
    assertThat(process("e", EntityVersion.nextFromAny("o", "b", Long.MIN_VALUE + 1)))
        .isEqualTo(APPLIED);
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void aSecondFirstVersionWaitsForTheFirstAndIsJudgedAfterIt(TransactionIsolation isolation)
      throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    JdbcInbox strict = JdbcInbox.builder(DATABASE.plain()).isolation(isolation).build();
    Future<InboxOutcome> first =
        threads.submit(
            () ->
                strict.process(
                    entry("e1", 1),
                    tx -> {
                      started.countDown();
                      finish.await();
                    }));
    started.await();
    Future<InboxOutcome> second = threads.submit(() -> strict.process(entry("other", 1), tx -> {}));
    Blocked.await(DATABASE, 1);
    finish.countDown();

    assertThat(first.get()).isEqualTo(APPLIED);
    assertThat(second.get()).isEqualTo(STALE);
  }

  @Test
  void theNextVersionWaitsForTheOneBeforeIt() throws Exception {
    next("e1", 1);
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    Future<InboxOutcome> second =
        threads.submit(
            () ->
                inbox.process(
                    entry("e2", 2),
                    tx -> {
                      started.countDown();
                      finish.await();
                    }));
    started.await();
    Future<InboxOutcome> third = threads.submit(() -> next("e3", 3));
    Blocked.await(DATABASE, 1);
    finish.countDown();

    assertThat(second.get()).isEqualTo(APPLIED);
    assertThat(third.get()).isEqualTo(APPLIED);
  }

  @Test
  void theHandlersOwnRowIsTheGuard() throws Exception {
    assertThat(onRow("e5", 5)).isEqualTo(APPLIED);
    assertThat(onRow("e5", 5)).isEqualTo(DUPLICATE);
    assertThat(onRow("e4", 4)).isEqualTo(STALE);
    DATABASE.execute("UPDATE \"Shop\".\"Orders\" SET version = 8");
    assertThat(onRow("e7", 7)).isEqualTo(STALE);
    assertThat(onRow("e9", 9)).isEqualTo(APPLIED);
    assertThat(DATABASE.text("SELECT version FROM \"Shop\".\"Orders\"")).isEqualTo("9");
    assertThat(rows()).as("no row in the inbox's table").isEqualTo("2 0");
  }

  @Test
  void aRowWithoutAVersionIsOneOfWhichNothingWasApplied() throws Exception {
    DATABASE.execute("INSERT INTO \"Shop\".\"Orders\" VALUES ('k', NULL)");

    assertThat(
            inbox.process(
                event("e2")
                    .withVersion(EntityVersion.next("", "k", 2).onRow(TABLE, "Key", "version")),
                tx -> {}))
        .isEqualTo(GAP);
    assertThat(onRow("e1", 1)).isEqualTo(APPLIED);
  }

  @Test
  void aBatchOnTheHandlersRowsGoesByWhatItWrites() throws Exception {
    DATABASE.execute("INSERT INTO \"Shop\".\"Orders\" VALUES ('it''s \"a\\b\", {x}', 3)");
    String odd = "it's \"a\\b\", {x}";
    List<InboxEntry> entries =
        List.of(
            rowEntry("e1", "new", 5),
            rowEntry("e2", "new", 6),
            rowEntry("e3", "new", 5),
            rowEntry("e4", odd, 3),
            rowEntry("e5", odd, 4));

    assertThat(
            inbox.processAll(
                entries,
                (tx, fresh) -> {
                  assertThat(fresh).containsExactly(0, 1, 4);
                  write("new", 6).apply(tx);
                  write(odd, 4).apply(tx);
                }))
        .containsExactly(APPLIED, APPLIED, STALE, STALE, APPLIED);
    assertThat(inbox.process(rowEntry("e6", odd, 4), tx -> {})).isEqualTo(STALE);
  }

  @Test
  void aConcurrentEventWaitsForTheRow() throws Exception {
    onRow("e1", 1);
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    Future<InboxOutcome> first =
        threads.submit(
            () ->
                inbox.process(
                    rowEntry("e3", "k", 3),
                    tx -> {
                      started.countDown();
                      finish.await();
                      write("k", 3).apply(tx);
                    }));
    started.await();
    Future<InboxOutcome> second = threads.submit(() -> onRow("e2", 2));
    Blocked.await(DATABASE, 1);
    finish.countDown();

    assertThat(first.get()).isEqualTo(APPLIED);
    assertThat(second.get()).isEqualTo(STALE);
  }

  @ParameterizedTest
  @CsvSource({
    "text, k1",
    "varchar(40), k1",
    "char(8), k1",
    "bigint, 42",
    "int, 42",
    "numeric, 42",
    "uuid, 5f0c7ed4-6c5c-4c1a-9d36-0d2f6b0a7c11"
  })
  void theKeyIsComparedInTheColumnsOwnTypeWithItsIndex(String type, String key) throws Exception {
    DATABASE.execute(
        "DROP TABLE IF EXISTS typed; CREATE TABLE typed (id "
            + type
            + " PRIMARY KEY, v int, filler text)");
    DATABASE.execute("INSERT INTO typed VALUES ('" + key + "', 7, repeat('x', 100))");
    if (type.equals("bigint")) {
      DATABASE.execute(
          "INSERT INTO typed SELECT i, 1, repeat('x', 100) FROM generate_series(1000, 20000) i;"
              + "ANALYZE typed");
    }
    EntityVersion stale = EntityVersion.latest("", key, 7).onRow("typed", "id", "v");
    EntityVersion newer = EntityVersion.latest("", key, 8).onRow("typed", "id", "v");

    assertThat(process("stale", stale)).isEqualTo(STALE);
    assertThat(process("newer", newer)).isEqualTo(APPLIED);
    assertThat(
            inbox.processAll(
                List.of(event("s2").withVersion(stale), event("n2").withVersion(newer)),
                (tx, fresh) -> {}))
        .containsExactly(STALE, APPLIED);
    if (type.equals("bigint")) {
      String scans =
          "SELECT seq_scan || ' ' || (idx_scan > 3) FROM pg_stat_user_tables WHERE relname = 'typed'";
      long before =
          DATABASE.number("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'typed'");
      for (int i = 0; i < 4; i++) {
        process("again" + i, stale);
        inbox.processAll(
            List.of(event("b" + i).withVersion(stale), event("c" + i).withVersion(stale)),
            (tx, fresh) -> {});
      }
      await().until(() -> DATABASE.text(scans).endsWith("true"));
      assertThat(DATABASE.text(scans)).startsWith(before + " ");
    }
  }

  @Test
  void namesThatAreNotIdentifiersAreRefused() {
    EntityVersion version = EntityVersion.latest("", "k", 1);
    for (String name : List.of("", "a b", "a;--", "a\"b", "x.y.z", "1a", "a".repeat(64))) {
      assertThatThrownBy(() -> version.onRow(name, "id", "v")).hasMessageContaining("table");
      assertThatThrownBy(() -> version.onRow("t", name, "v")).hasMessageContaining("keyColumn");
      assertThatThrownBy(() -> version.onRow("t", "id", name))
          .hasMessageContaining("versionColumn");
    }
  }

  @Test
  void aColumnWithoutAUniqueIndexAndAMissingTableAreNamed() throws Exception {
    DATABASE.execute(
        "CREATE TABLE loose (id text, v int); INSERT INTO loose VALUES ('k', 1), ('k', 2)");
    EntityVersion loose = EntityVersion.latest("", "k", 9).onRow("loose", "id", "v");
    EntityVersion nowhere = EntityVersion.latest("", "k", 9).onRow("nowhere", "id", "v");

    assertThatThrownBy(() -> process("e1", loose)).hasMessageContaining("21000");
    assertThatThrownBy(
            () ->
                inbox.processAll(
                    List.of(event("e1").withVersion(loose), event("e2").withVersion(loose)),
                    (tx, fresh) -> {}))
        .hasMessageContaining("loose")
        .hasMessageContaining("unique index");
    assertThatThrownBy(() -> process("e1", nowhere)).hasMessageContaining("nowhere");
  }

  private static final String TABLE = "Shop.Orders";

  private InboxOutcome next(String id, long version) throws Exception {
    return inbox.process(entry(id, version), tx -> {});
  }

  private InboxOutcome process(String id, EntityVersion version) throws Exception {
    return inbox.process(event(id).withVersion(version), tx -> {});
  }

  private static InboxEntry entry(String id, long version) {
    return event(id).withVersion(EntityVersion.next("orders", "k", version));
  }

  private InboxOutcome onRow(String id, long version) throws Exception {
    return inbox.process(rowEntry(id, "k", version), write("k", version));
  }

  private static InboxEntry rowEntry(String id, String key, long version) {
    return event(id)
        .withIdempotency(Idempotency.EVENT)
        .withVersion(EntityVersion.latest("", key, version).onRow(TABLE, "Key", "version"));
  }

  private static Effect write(String key, long version) {
    return tx -> {
      try (PreparedStatement statement =
          tx.prepareStatement(
              "INSERT INTO \"Shop\".\"Orders\" VALUES (?, ?)"
                  + " ON CONFLICT (\"Key\") DO UPDATE SET version = excluded.version")) {
        statement.setString(1, key);
        statement.setObject(2, version, Types.BIGINT);
        statement.executeUpdate();
      }
    };
  }

  private static String rows() throws SQLException {
    return DATABASE.text(
        "SELECT (SELECT count(*) FROM onceward_processed_event) || ' ' ||"
            + " (SELECT count(*) FROM onceward_entity_version)");
  }
}
