package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.GAP;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NEXT, and the guard on the handler's own row, on every database. */
abstract class VersionModesContract {
  private static final String TABLE = "Shop.Orders";

  private final SqlDatabase database;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final JdbcInbox inbox;

  /** Of one name wherever it is, so that of several servers each has one. */
  private final String orders;

  VersionModesContract(SqlDatabase database) {
    this.database = database;
    this.orders = database.quoted("Shop") + "." + database.quoted("Orders");
    this.inbox = JdbcInbox.on(database.plain());
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
    database.execute(
        "CREATE SCHEMA IF NOT EXISTS " + database.quoted("Shop"),
        "CREATE TABLE IF NOT EXISTS "
            + orders
            + " ("
            + database.quoted("Key")
            + " VARCHAR(100) PRIMARY KEY, "
            + database.quoted("version")
            + " BIGINT)",
        "DELETE FROM " + orders);
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
    assertThat(database.number("SELECT version FROM onceward_entity_version")).isEqualTo(3);
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
    JdbcInbox strict = database.inbox(isolation).build();
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
    database.awaitBlocked(1);
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
    database.awaitBlocked(1);
    finish.countDown();

    assertThat(second.get()).isEqualTo(APPLIED);
    assertThat(third.get()).isEqualTo(APPLIED);
  }

  @Test
  void theHandlersOwnRowIsTheGuard() throws Exception {
    assertThat(onRow("e5", 5)).isEqualTo(APPLIED);
    assertThat(onRow("e5", 5)).isEqualTo(DUPLICATE);
    assertThat(onRow("e4", 4)).isEqualTo(STALE);
    database.execute("UPDATE " + orders + " SET " + database.quoted("version") + " = 8");
    assertThat(onRow("e7", 7)).isEqualTo(STALE);
    assertThat(onRow("e9", 9)).isEqualTo(APPLIED);
    assertThat(database.text("SELECT " + database.quoted("version") + " FROM " + orders))
        .isEqualTo("9");
    assertThat(rows()).as("no row in the inbox's table").isEqualTo("2 0");
  }

  @Test
  void aRowWithoutAVersionIsOneOfWhichNothingWasApplied() throws Exception {
    database.execute("INSERT INTO " + orders + " VALUES ('k', NULL)");

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
    String odd = "it's \"a\\b\", {x}";
    inbox.process(event("e0").withIdempotency(Idempotency.NONE), write(odd, 3));
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
    database.awaitBlocked(1);
    finish.countDown();

    assertThat(first.get()).isEqualTo(APPLIED);
    assertThat(second.get()).isEqualTo(STALE);
  }

  @Test
  void aColumnWithoutAUniqueIndexAndAMissingTableAreNamed() throws Exception {
    String table = database.quoted("loose");
    database.execute(
        "CREATE TABLE "
            + table
            + " ("
            + database.quoted("id")
            + " VARCHAR(10), "
            + database.quoted("v")
            + " INT)",
        "INSERT INTO " + table + " VALUES ('k', 1), ('k', 2)");
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

  @Test
  void aWrongTableOrColumnIsNamedWithThePlaceWhereItIsWritten() throws Exception {
    List<GuardedRow> wrong =
        List.of(
            new GuardedRow("nowhere", "Key", "version"),
            new GuardedRow(TABLE, "kee", "version"),
            new GuardedRow(TABLE, "Key", "versoin"));
    for (GuardedRow row : wrong) {
      EntityVersion version =
          EntityVersion.latest("", "k", 9).onRow(row.table(), row.keyColumn(), row.versionColumn());
      assertNamesThePlace(row, () -> process("e1", version));
      assertNamesThePlace(
          row,
          () ->
              inbox.processAll(
                  List.of(event("e1").withVersion(version), event("e2").withVersion(version)),
                  (tx, fresh) -> {}));
      assertNamesThePlace(row, () -> inbox.verify(row, Duration.ofSeconds(30)));
    }
    inbox.verify(new GuardedRow(TABLE, "Key", "version"), Duration.ofSeconds(30));
  }

  private static void assertNamesThePlace(GuardedRow row, ThrowingCallable work) {
    assertThatThrownBy(work)
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("correct table " + row.table() + ", key column " + row.keyColumn())
        .hasMessageContaining("version column " + row.versionColumn())
        .hasMessageContaining("@VersionGuard(table, keyColumn, versionColumn)")
        .hasMessageContaining("EntityVersion.onRow")
        .hasMessageNotContaining("createSchema");
  }

  private InboxOutcome next(String id, long version) throws Exception {
    return inbox.process(entry(id, version), tx -> {});
  }

  InboxOutcome process(String id, EntityVersion version) throws Exception {
    return inbox.process(event(id).withVersion(version), tx -> {});
  }

  private static InboxEntry entry(String id, long version) {
    return event(id).withVersion(EntityVersion.next("orders", "k", version));
  }

  private InboxOutcome onRow(String id, long version) throws Exception {
    return inbox.process(rowEntry(id, "k", version), write("k", version));
  }

  private InboxEntry rowEntry(String id, String key, long version) {
    return event(id)
        .withIdempotency(Idempotency.EVENT)
        .withVersion(EntityVersion.latest("", key, version).onRow(TABLE, "Key", "version"));
  }

  private Effect write(String key, long version) {
    return tx -> {
      try (PreparedStatement statement =
          tx.prepareStatement(
              database.upsert(orders, database.quoted("Key"), database.quoted("version")))) {
        statement.setString(1, key);
        statement.setObject(2, version, Types.BIGINT);
        statement.executeUpdate();
      }
    };
  }

  private String rows() throws SQLException {
    return database.text("SELECT count(*) FROM onceward_processed_event")
        + " "
        + database.text("SELECT count(*) FROM onceward_entity_version");
  }
}
