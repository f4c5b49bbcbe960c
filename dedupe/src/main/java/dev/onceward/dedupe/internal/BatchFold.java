package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.BeyondWindow;
import dev.onceward.dedupe.InboxOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges the claims of a batch as if each were a transaction of its own, one after the other: an
 * event or entity that occurs twice meets what the earlier one left. Pure: facts in, decision out.
 */
final class BatchFold {
  private final Batch batch;
  private final Facts facts;
  private final BeyondWindow beyondWindow;
  private final Set<EventRow> taken = new HashSet<>();
  private final Map<EntityRow, Long> applied;
  private final Map<EntityRow.Own, Long> written = new HashMap<>();
  private final SortedMap<FenceKey, FenceClaim> fences = new TreeMap<>();

  private BatchFold(Batch batch, Facts facts, BeyondWindow beyondWindow) {
    this.batch = batch;
    this.facts = facts;
    this.beyondWindow = beyondWindow;
    this.applied = new HashMap<>(facts.applied());
    batch.fenceClaims().forEach(claim -> fences.put(claim.key(), claim));
  }

  static Decision of(Batch batch, Facts facts, BeyondWindow beyondWindow) {
    return new BatchFold(batch, facts, beyondWindow).decide();
  }

  private Decision decide() {
    List<InboxOutcome> outcomes = new ArrayList<>(batch.size());
    List<Integer> fresh = new ArrayList<>();
    for (Claim claim : batch.claims()) {
      InboxOutcome outcome = judge(claim);
      if (outcome == InboxOutcome.APPLIED) {
        fresh.add(outcomes.size());
        apply(claim);
      }
      outcomes.add(outcome);
    }
    return new Decision(
        List.copyOf(outcomes), List.copyOf(fresh), settlement(), List.copyOf(fences.values()));
  }

  private InboxOutcome judge(Claim claim) {
    EventRow event = claim.event();
    Guard guard = claim.guard();
    if (event != null && isBeyondWindow(event)) {
      if (beyondWindow == BeyondWindow.DEAD_LETTER
          || (beyondWindow == BeyondWindow.VERSION_GUARD && guard == null)) {
        return InboxOutcome.WINDOW_EXCEEDED;
      }
    } else if (isDuplicate(claim, event)) {
      return InboxOutcome.DUPLICATE;
    }
    if (guard == null) {
      return InboxOutcome.APPLIED;
    }
    return switch (guard.judge(applied.get(guard.row()))) {
      case FRESH -> InboxOutcome.APPLIED;
      case STALE -> InboxOutcome.STALE;
      case GAP -> InboxOutcome.GAP;
    };
  }

  private boolean isBeyondWindow(EventRow event) {
    return event.bucket() != Buckets.UNDATED && event.bucket() < facts.keptFrom();
  }

  private boolean isDuplicate(Claim claim, @Nullable EventRow event) {
    if (event != null) {
      return !facts.inserted().contains(event) || taken.contains(event);
    }
    FenceKey fence = claim.fence();
    if (claim.offset().isEmpty() || fence == null) {
      return false;
    }
    long offset = claim.offset().getAsLong();
    FenceClaim moved = fences.get(fence);
    if (moved != null && moved.moves() && offset < moved.next()) {
      return true;
    }
    FenceState state = facts.fences().get(fence);
    return state != null
        && state.nextOffset().isPresent()
        && offset < state.nextOffset().getAsLong();
  }

  private void apply(Claim claim) {
    EventRow event = claim.event();
    if (event != null && !isBeyondWindow(event)) {
      taken.add(event);
    }
    Guard guard = claim.guard();
    if (guard != null) {
      applied.put(guard.row(), guard.version());
      if (guard.row() instanceof EntityRow.Own row) {
        written.put(row, guard.version());
      }
    }
    if (claim.offset().isPresent() && claim.fence() != null) {
      fences.computeIfPresent(
          claim.fence(), (key, fence) -> fence.with(claim.offset().getAsLong()));
    }
  }

  private Settlement settlement() {
    SortedSet<EventRow> takenBack = new TreeSet<>();
    // what is taken was inserted: equal numbers are equal sets
    if (taken.size() < facts.inserted().size()) {
      takenBack.addAll(facts.inserted());
      takenBack.removeAll(taken);
    }
    SortedMap<EntityRow.Own, Long> added = new TreeMap<>();
    SortedMap<EntityRow.Own, Long> moved = new TreeMap<>();
    if (!facts.settled()) {
      written.forEach(
          (row, version) -> {
            Long already = facts.written().get(row);
            if (already == null) {
              (facts.applied().containsKey(row) ? moved : added).put(row, version);
            } else if (!already.equals(version)) {
              moved.put(row, version);
            }
          });
    }
    return new Settlement(takenBack, added, moved);
  }
}
