package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/** A batch does what its entries would do one after the other, on the real database. */
abstract class BatchEqualsSingles {
  private static final FenceScope SCOPE = new FenceScope("billing", "orders", null, 0);

  private final SqlDatabase database;
  private @Nullable HikariDataSource pool;
  private final Map<BeyondWindow, JdbcInbox> batchedBy = new EnumMap<>(BeyondWindow.class);
  private final Map<BeyondWindow, JdbcInbox> singleBy = new EnumMap<>(BeyondWindow.class);

  BatchEqualsSingles(SqlDatabase database) {
    this.database = database;
  }

  @BeforeProperty
  void create() throws SQLException {
    database.create();
    HikariDataSource pool = database.pool(2);
    this.pool = pool;
    for (String prefix : List.of("batched", "single")) {
      database.execute(
          "CREATE TABLE "
              + own(prefix)
              + " ("
              + database.quoted("id")
              + " VARCHAR(10) PRIMARY KEY, "
              + database.quoted("version")
              + " BIGINT)");
      Map<BeyondWindow, JdbcInbox> inboxes = prefix.equals("batched") ? batchedBy : singleBy;
      for (BeyondWindow policy : BeyondWindow.values()) {
        JdbcInbox inbox =
            JdbcInbox.builder(pool).tablePrefix(prefix + "_").beyondWindow(policy).build();
        inbox.createSchema();
        inboxes.put(policy, inbox);
      }
    }
  }

  @AfterProperty
  void close() {
    database.close();
  }

  private String own(String prefix) {
    return database.quoted(prefix + "_own");
  }

  /** An entry before it is known whose tables it is for. */
  record Draft(
      String handler,
      String event,
      Kind kind,
      int age,
      Guarding guarding,
      String key,
      int version,
      int offset) {

    InboxEntry entry(String prefix, Fence fence, Instant now) {
      InboxEntry entry = InboxEntry.of(handler, Events.SOURCE, event);
      entry =
          switch (kind) {
            case EVENT -> entry;
            case FENCED -> entry.withFence(fence);
            case NONE -> entry.withIdempotency(Idempotency.NONE);
            case OFFSET -> entry.atOffset(fence, offset);
          };
      if (age >= 0) {
        entry = entry.withEventTime(now.minus(age, ChronoUnit.DAYS));
      }
      return switch (allowed()) {
        case NOTHING -> entry;
        case LATEST -> entry.withVersion(EntityVersion.latest("orders", key, version));
        case NEXT -> entry.withVersion(EntityVersion.next("orders", key, version));
        case NEXT_FROM_ANY -> entry.withVersion(EntityVersion.nextFromAny("orders", key, version));
        case LATEST_ON_ROW ->
            entry.withVersion(
                EntityVersion.latest("orders", key, version)
                    .onRow(prefix + "_own", "id", "version"));
        case NEXT_ON_ROW ->
            entry.withVersion(
                EntityVersion.next("orders", key, version, 2)
                    .onRow(prefix + "_own", "id", "version"));
      };
    }

    /** An entry refuses to take versions one after the other at an offset. */
    private Guarding allowed() {
      if (kind != Kind.OFFSET) {
        return guarding;
      }
      return switch (guarding) {
        case NEXT, NEXT_FROM_ANY -> Guarding.LATEST;
        case NEXT_ON_ROW -> Guarding.LATEST_ON_ROW;
        default -> guarding;
      };
    }
  }

  enum Kind {
    EVENT,
    FENCED,
    NONE,
    OFFSET
  }

  enum Guarding {
    NOTHING,
    LATEST,
    NEXT,
    NEXT_FROM_ANY,
    LATEST_ON_ROW,
    NEXT_ON_ROW
  }

  @Property(tries = 250, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
  void theSameOutcomesAndTheSameRows(
      @ForAll("batches") List<List<Draft>> batches, @ForAll BeyondWindow policy) throws Exception {
    compare(batches, policy);
    Statistics.coverage(
        coverage -> {
          for (InboxOutcome outcome : InboxOutcome.values()) {
            coverage.check(outcome).percentage(percentage -> percentage > 2);
          }
        });
  }

  /** Batches whose versions may be written before they are judged; some of them wrongly. */
  @Property(tries = 250, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
  void theSameOutcomesAndTheSameRowsWhenMostIsFresh(
      @ForAll("mostlyFresh") List<List<Draft>> batches) throws Exception {
    compare(batches, BeyondWindow.DEAD_LETTER);
    Statistics.coverage(
        coverage -> {
          coverage.check(InboxOutcome.APPLIED).percentage(percentage -> percentage > 50);
          coverage.check(InboxOutcome.STALE).percentage(percentage -> percentage > 2);
          coverage.check(InboxOutcome.DUPLICATE).percentage(percentage -> percentage > 2);
        });
  }

  private void compare(List<List<Draft>> batches, BeyondWindow policy) throws Exception {
    for (String prefix : List.of("batched", "single")) {
      SqlDatabase.execute(
          pooled(),
          "DELETE FROM " + prefix + "_processed_event",
          "DELETE FROM " + prefix + "_entity_version",
          "DELETE FROM " + prefix + "_fence",
          "DELETE FROM " + own(prefix));
    }
    JdbcInbox batched = requireNonNull(batchedBy.get(policy));
    JdbcInbox single = requireNonNull(singleBy.get(policy));
    Instant now = Instant.now();
    Fence ofBatched = batched.takeFence(SCOPE);
    Fence ofSingle = single.takeFence(SCOPE);
    for (List<Draft> batch : batches) {
      List<InboxEntry> entries =
          batch.stream().map(draft -> draft.entry("batched", ofBatched, now)).toList();
      List<Integer> applied = new ArrayList<>();
      List<InboxOutcome> outcomes =
          batched.processAll(
              entries,
              (tx, fresh) -> {
                for (int position : fresh) {
                  write(tx, "batched", batch.get(position));
                  applied.add(position);
                }
              });
      List<Integer> appliedSingly = new ArrayList<>();
      List<InboxOutcome> one = new ArrayList<>();
      for (Draft draft : batch) {
        one.add(
            single.process(
                draft.entry("single", ofSingle, now),
                tx -> {
                  write(tx, "single", draft);
                  appliedSingly.add(one.size());
                }));
      }

      outcomes.forEach(Statistics::collect);
      assertThat(outcomes).isEqualTo(one);
      assertThat(applied).isEqualTo(appliedSingly);
      assertThat(rows("batched")).isEqualTo(rows("single"));
    }
  }

  private void write(Connection tx, String prefix, Draft draft) throws SQLException {
    if (draft.guarding != Guarding.LATEST_ON_ROW && draft.guarding != Guarding.NEXT_ON_ROW) {
      return;
    }
    try (PreparedStatement statement =
        tx.prepareStatement(
            database.upsert(own(prefix), database.quoted("id"), database.quoted("version")))) {
      statement.setString(1, draft.key);
      statement.setLong(2, draft.version);
      statement.executeUpdate();
    }
  }

  /** Thousands of queries, which need not have a new connection each. */
  private DataSource pooled() {
    return requireNonNull(pool);
  }

  private List<List<String>> rows(String prefix) throws SQLException {
    return List.of(
        SqlDatabase.rows(
            pooled(),
            "SELECT name, bucket, event_key FROM %1$s_processed_event JOIN %1$s_handler ON id = handler"
                .formatted(prefix)),
        SqlDatabase.rows(
            pooled(),
            "SELECT name, entity_key, version FROM %1$s_entity_version JOIN %1$s_handler ON id = handler"
                .formatted(prefix)),
        SqlDatabase.rows(pooled(), "SELECT * FROM " + own(prefix)),
        SqlDatabase.rows(pooled(), "SELECT epoch, next_offset FROM " + prefix + "_fence"));
  }

  @Provide
  Arbitrary<List<List<Draft>>> batches() {
    return drafts().list().ofMinSize(1).ofMaxSize(9).list().ofMinSize(1).ofMaxSize(3);
  }

  /** Events in their order, now and then one of an earlier batch or an older version again. */
  @Provide
  Arbitrary<List<List<Draft>>> mostlyFresh() {
    Arbitrary<Draft> draft =
        Combinators.combine(
                Arbitraries.of("billing", "shipping"),
                Arbitraries.integers().between(0, 5),
                Arbitraries.of(Kind.EVENT, Kind.FENCED),
                Arbitraries.of(Guarding.LATEST, Guarding.LATEST, Guarding.NOTHING),
                Arbitraries.of("i", "j", "k", "l"),
                Arbitraries.integers().between(0, 39))
            .as(
                (handler, event, kind, guarding, key, version) ->
                    new Draft(handler, "e" + event, kind, -1, guarding, key, version, 0));
    return draft
        .list()
        .ofMinSize(2)
        .ofMaxSize(5)
        .list()
        .ofMinSize(2)
        .ofMaxSize(5)
        .map(BatchEqualsSingles::ascending);
  }

  private static List<List<Draft>> ascending(List<List<Draft>> batches) {
    int[] position = {0};
    return batches.stream()
        .map(
            batch ->
                batch.stream()
                    .map(
                        draft -> {
                          int at = position[0]++;
                          // some are of a few events and versions: duplicate or stale, if it so
                          // happens
                          return draft.version < 8
                              ? draft
                              : new Draft(
                                  draft.handler,
                                  "n" + at,
                                  draft.kind,
                                  draft.age,
                                  draft.guarding,
                                  draft.key,
                                  5 + at,
                                  0);
                        })
                    .toList())
        .toList();
  }

  private static Arbitrary<Draft> drafts() {
    return Combinators.combine(
            Arbitraries.of("billing", "shipping"),
            Arbitraries.of("e1", "e2", "e3", "e4", "e5"),
            Arbitraries.frequency(
                net.jqwik.api.Tuple.of(4, Kind.EVENT),
                net.jqwik.api.Tuple.of(1, Kind.FENCED),
                net.jqwik.api.Tuple.of(1, Kind.NONE),
                net.jqwik.api.Tuple.of(2, Kind.OFFSET)),
            Arbitraries.of(-1, 0, 3, 40),
            Arbitraries.of(Guarding.class),
            Arbitraries.of("j", "k"),
            Arbitraries.integers().between(1, 5),
            Arbitraries.integers().between(0, 9))
        .as(Draft::new);
  }
}
