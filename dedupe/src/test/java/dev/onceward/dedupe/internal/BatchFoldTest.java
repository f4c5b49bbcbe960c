package dev.onceward.dedupe.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dedupe.BeyondWindow;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxEntry.Mode;
import dev.onceward.dedupe.InboxOutcome;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/** The fold against a plain model that takes the claims one by one. */
class BatchFoldTest {
  private static final int KEPT_FROM = 10;
  private static final FenceKey FENCE = new FenceKey("g", "t", 0);

  @Property(tries = 3_000)
  void aBatchIsJudgedAsIfItsClaimsCameOneByOne(
      @ForAll("batches") List<List<Claim>> batches, @ForAll BeyondWindow policy) {
    Rows folded = new Rows();
    Rows plain = new Rows();
    for (List<Claim> claims : batches) {
      Batch batch = Batch.of(claims, Map.of());
      Facts facts = folded.claim(batch);
      Decision decision = BatchFold.of(batch, facts, policy);
      if (!decision.fresh().isEmpty()) {
        folded.commit(batch, facts, decision);
      }
      List<InboxOutcome> oneByOne =
          claims.stream().map(claim -> plain.process(claim, policy)).toList();

      oneByOne.forEach(Statistics::collect);
      assertThat(decision.outcomes()).isEqualTo(oneByOne);
      assertThat(decision.fresh())
          .allMatch(position -> oneByOne.get(position) == InboxOutcome.APPLIED)
          .hasSize((int) oneByOne.stream().filter(InboxOutcome.APPLIED::equals).count());
      assertThat(folded).isEqualTo(plain);
    }
    Statistics.coverage(
        coverage -> {
          for (InboxOutcome outcome : InboxOutcome.values()) {
            coverage.check(outcome).percentage(percentage -> percentage > 2);
          }
        });
  }

  /** What a database holds. */
  private record Rows(
      Set<EventRow> events, Map<EntityRow, Long> versions, Map<FenceKey, Long> nextOffsets) {

    Rows() {
      this(new HashSet<>(), new HashMap<>(), new HashMap<>());
    }

    Facts claim(Batch batch) {
      Set<EventRow> inserted = new HashSet<>();
      for (EventRow row : batch.events()) {
        if (!isOld(row) && !events.contains(row)) {
          inserted.add(row);
        }
      }
      Long next = nextOffsets.get(FENCE);
      FenceState fence =
          new FenceState(1, next == null ? OptionalLong.empty() : OptionalLong.of(next));
      Map<EntityRow, Long> applied = new HashMap<>(versions);
      Map<EntityRow.Own, Long> written = new HashMap<>();
      if (inserted.size() == batch.events().size()) {
        Iterator<Long> firsts = batch.firstVersions().iterator();
        for (EntityRow.Own row : firsts.hasNext() ? batch.own() : Set.<EntityRow.Own>of()) {
          long version = firsts.next();
          Long before = versions.get(row);
          if (before == null || before < version) {
            written.put(row, version);
            applied.remove(row);
          }
        }
      }
      return new Facts(
          "",
          OptionalInt.empty(),
          KEPT_FROM,
          Set.of(),
          inserted,
          applied,
          Map.of(FENCE, fence),
          written,
          false);
    }

    void commit(Batch batch, Facts facts, Decision decision) {
      events.addAll(facts.inserted());
      events.removeAll(decision.settlement().takenBack());
      versions.putAll(facts.written());
      assertThat(versions.keySet().containsAll(decision.settlement().moved().keySet())).isTrue();
      assertThat(Collections.disjoint(versions.keySet(), decision.settlement().added().keySet()))
          .isTrue();
      versions.putAll(decision.settlement().added());
      versions.putAll(decision.settlement().moved());
      for (int position : decision.fresh()) {
        Guard guard = batch.claims().get(position).guard();
        if (guard != null && guard.row() instanceof EntityRow.Foreign row) {
          versions.put(row, guard.version()); // the handler does
        }
      }
      for (FenceClaim fence : decision.fences()) {
        if (fence.moves()) {
          Long stored = nextOffsets.put(fence.key(), fence.next());
          assertThat(stored == null || stored <= fence.lowest()).isTrue();
        }
      }
    }

    InboxOutcome process(Claim claim, BeyondWindow policy) {
      EventRow event = claim.event();
      Guard guard = claim.guard();
      boolean remember = event != null;
      if (event != null && isOld(event)) {
        if (policy == BeyondWindow.DEAD_LETTER
            || (policy == BeyondWindow.VERSION_GUARD && guard == null)) {
          return InboxOutcome.WINDOW_EXCEEDED;
        }
        remember = false;
      } else if (event != null && events.contains(event)) {
        return InboxOutcome.DUPLICATE;
      }
      long offset = claim.offset().orElse(-1);
      if (offset >= 0 && nextOffsets.getOrDefault(FENCE, 0L) > offset) {
        return InboxOutcome.DUPLICATE;
      }
      if (guard != null) {
        Long applied = versions.get(guard.row());
        long next = applied != null ? applied + 1 : guard.first().orElse(guard.version());
        if (applied != null ? guard.version() <= applied : isBelowFirst(guard, next)) {
          return InboxOutcome.STALE;
        }
        if (guard.mode() == Mode.NEXT && guard.version() > next) {
          return InboxOutcome.GAP;
        }
        versions.put(guard.row(), guard.version());
      }
      if (remember && event != null) {
        events.add(event);
      }
      if (offset >= 0) {
        nextOffsets.put(FENCE, offset + 1);
      }
      return InboxOutcome.APPLIED;
    }

    private static boolean isBelowFirst(Guard guard, long first) {
      return guard.mode() == Mode.NEXT && guard.version() < first;
    }

    private static boolean isOld(EventRow row) {
      return row.bucket() != Buckets.UNDATED && row.bucket() < KEPT_FROM;
    }
  }

  @Provide
  Arbitrary<List<List<Claim>>> batches() {
    return claims().list().ofMinSize(1).ofMaxSize(12).list().ofMinSize(1).ofMaxSize(4);
  }

  private static Arbitrary<Claim> claims() {
    Arbitrary<EventRow> events =
        Combinators.combine(
                Arbitraries.of("a", "b"),
                Arbitraries.of(Buckets.UNDATED, KEPT_FROM - 1, KEPT_FROM, KEPT_FROM + 1),
                Arbitraries.longs().between(1, 3))
            .as((handler, bucket, key) -> new EventRow(handler, bucket, new UUID(0, key)));
    Arbitrary<EntityRow> rows =
        Arbitraries.of(
            new EntityRow.Own("a", new UUID(0, 1)),
            new EntityRow.Own("b", new UUID(0, 1)),
            new EntityRow.Foreign(new GuardedRow("t", "k", "v"), "1"));
    Arbitrary<Guard> guards =
        Combinators.combine(
                rows,
                Arbitraries.longs().between(0, 5),
                Arbitraries.of(Mode.class),
                Arbitraries.of(OptionalLong.empty(), OptionalLong.of(1), OptionalLong.of(3)))
            .as(Guard::new);
    return Combinators.combine(
            events.injectNull(0.3), guards.injectNull(0.3), Arbitraries.longs().between(-9, 9))
        .as(
            (event, guard, offset) ->
                new Claim(
                    "a",
                    "e",
                    event,
                    guard,
                    FENCE,
                    1,
                    event == null && offset >= 0 ? OptionalLong.of(offset) : OptionalLong.empty()));
  }
}
