package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxEntry.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The claims of one transaction, and the rows they need, each once and in the order in which every
 * transaction locks them.
 *
 * @param claims in the order in which they are judged; not empty
 * @param settings bound for the transaction
 * @param handlers the names whose numbers are needed
 * @param events the dedupe rows
 * @param own the version rows in the inbox's table
 * @param foreign the keys of version rows in handlers' tables
 * @param fences the epoch expected of each fence
 */
public record Batch(
    List<Claim> claims,
    Map<String, String> settings,
    SortedSet<String> handlers,
    SortedSet<EventRow> events,
    SortedSet<EntityRow.Own> own,
    SortedMap<String, Foreign> foreign,
    SortedMap<FenceKey, Long> fences) {

  /**
   * Rows of one handler's table.
   *
   * @param where the table and its columns
   * @param keys the keys as text
   */
  public record Foreign(GuardedRow where, SortedSet<String> keys) {}

  public static Batch of(List<Claim> claims, Map<String, String> settings) {
    Batch batch =
        new Batch(
            List.copyOf(claims),
            settings,
            new TreeSet<>(),
            new TreeSet<>(),
            new TreeSet<>(),
            new TreeMap<>(),
            new TreeMap<>());
    claims.forEach(batch::collect);
    return batch;
  }

  private void collect(Claim claim) {
    if (claim.needsHandler()) {
      handlers.add(claim.handlerId());
    }
    if (claim.event() != null) {
      events.add(claim.event());
    }
    if (claim.guard() != null) {
      if (claim.guard().row() instanceof EntityRow.Own row) {
        own.add(row);
      } else if (claim.guard().row() instanceof EntityRow.Foreign row) {
        foreign
            .computeIfAbsent(
                row.where().toString(), name -> new Foreign(row.where(), new TreeSet<>()))
            .keys()
            .add(row.key());
      }
    }
    if (claim.fence() != null) {
      // of two epochs the older one is refused, and all with it
      fences.merge(claim.fence(), claim.epoch(), Math::min);
    }
  }

  /**
   * The version of the first claim of each of the {@link #own} rows, in their order, if all claims
   * are fresh as soon as all dedupe rows are new and each of these versions is newer than what was
   * applied last: each claim has a dedupe row of its own, and versions of one row ascend in mode
   * LATEST. Else empty.
   */
  public List<Long> firstVersions() {
    if (!foreign.isEmpty() || events.size() != claims.size()) {
      return List.of();
    }
    Map<EntityRow.Own, Long> first = new HashMap<>();
    Map<EntityRow.Own, Long> last = new HashMap<>();
    for (Claim claim : claims) {
      Guard guard = claim.guard();
      if (guard != null && guard.row() instanceof EntityRow.Own row) {
        Long before = last.put(row, guard.version());
        if (guard.mode() != Mode.LATEST || (before != null && before >= guard.version())) {
          return List.of();
        }
        if (before == null) {
          first.put(row, guard.version());
        }
      }
    }
    return own.stream().map(first::get).toList();
  }

  public int size() {
    return claims.size();
  }

  /** Whether the statement that claims it has rows to claim or a fence to look at. */
  public boolean claimsNothing() {
    return events.isEmpty() && own.isEmpty() && foreign.isEmpty() && fences.isEmpty();
  }

  /** The handlers that are not among the known ones. */
  public SortedSet<String> handlersBut(SortedSet<String> known) {
    SortedSet<String> unknown = new TreeSet<>(handlers);
    unknown.removeAll(known);
    return unknown;
  }

  /** The handlers of the events, for messages. */
  String handlerIds() {
    return claims.stream().map(Claim::handlerId).distinct().collect(Collectors.joining(", "));
  }

  /** What it is, for messages of one line. */
  public String describe() {
    String first = claims.get(0).describe();
    return size() == 1 ? first : "a batch of " + size() + " events beginning with " + first;
  }

  /** The fences with nothing but their epochs to check. */
  List<FenceClaim> fenceClaims() {
    List<FenceClaim> all = new ArrayList<>();
    fences.forEach((key, epoch) -> all.add(FenceClaim.check(key, epoch)));
    return all;
  }
}
