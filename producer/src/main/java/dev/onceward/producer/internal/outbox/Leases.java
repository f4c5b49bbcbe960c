package dev.onceward.producer.internal.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps this relay's leases: renews them, takes its fair share of free ones and says which to give
 * up. Runs on the thread of the leases; not thread-safe.
 */
final class Leases {
  private static final long LONGEST_TICK = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int RENEWALS = 4;

  private final LeaseTable table;
  private final long duration;
  private final double seconds;
  private final Map<Integer, Lease> held = new HashMap<>();
  private final Set<Integer> leaving = new HashSet<>();
  private volatile boolean enough;
  private long nextRenewal = System.nanoTime();

  Leases(LeaseTable table, Duration duration) {
    this.table = table;
    this.duration = duration.toNanos();
    this.seconds = this.duration / 1e9;
  }

  /** How long to wait between two looks. */
  long interval() {
    return Math.min(LONGEST_TICK, duration / (2 * RENEWALS));
  }

  /**
   * What has changed.
   *
   * @param taken new leases
   * @param renewed leases that go on
   * @param revised leases whose rows were put back
   * @param lost shards that belong to another relay
   * @param surplus shards to give up
   */
  record Change(
      List<Lease> taken,
      List<Lease> renewed,
      List<Lease> revised,
      List<Integer> lost,
      List<Integer> surplus) {}

  /** The relay ends: what it holds is renewed, and nothing more is taken; from any thread. */
  void takeNoMore() {
    enough = true;
  }

  /** Looks after the leases. */
  Change tick(Connection connection) throws SQLException {
    Change change =
        new Change(
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    if (System.nanoTime() - nextRenewal >= 0) {
      renew(connection, change);
    }
    List<LeaseTable.Entry> entries = table.look(connection);
    compare(connection, entries, change);
    if (!enough) {
      share(connection, entries, change);
    }
    return change;
  }

  private void renew(Connection connection, Change change) throws SQLException {
    long now = System.nanoTime();
    table.heartbeat(connection, seconds);
    table.forgetDeadRelays(connection);
    for (Lease lease : table.renew(connection, seconds, now + duration)) {
      Lease known = held.get(lease.shard());
      if (known != null && known.epoch() == lease.epoch()) {
        Lease renewed =
            new Lease(lease.shard(), lease.epoch(), known.revision(), lease.validUntil());
        held.put(lease.shard(), renewed);
        change.renewed().add(renewed);
      }
    }
    nextRenewal = now + duration / RENEWALS;
  }

  private void compare(Connection connection, List<LeaseTable.Entry> entries, Change change)
      throws SQLException {
    List<Integer> unknown =
        entries.stream()
            .filter(entry -> entry.mine() && !held.containsKey(entry.shard()))
            .map(LeaseTable.Entry::shard)
            .toList();
    if (!unknown.isEmpty()) {
      // taken by a statement whose answer was lost
      table.giveUp(connection, unknown);
    }
    for (LeaseTable.Entry entry : entries) {
      Lease known = held.get(entry.shard());
      if (known == null) {
        continue;
      }
      if (!entry.mine() || entry.epoch() != known.epoch()) {
        held.remove(entry.shard());
        leaving.remove(entry.shard());
        change.lost().add(entry.shard());
      } else if (entry.revision() != known.revision()) {
        Lease revised =
            new Lease(known.shard(), known.epoch(), entry.revision(), known.validUntil());
        held.put(known.shard(), revised);
        change.revised().add(revised);
      }
    }
  }

  private void share(Connection connection, List<LeaseTable.Entry> entries, Change change)
      throws SQLException {
    int relays = Math.max(1, table.relays(connection));
    int fair = (Buckets.SHARDS + relays - 1) / relays;
    int staying = held.size() - leaving.size();
    boolean anyFree = entries.stream().anyMatch(LeaseTable.Entry::free);
    if (staying < fair && anyFree) {
      long validUntil = System.nanoTime() + duration;
      for (Lease lease : table.take(connection, fair - staying, seconds, validUntil)) {
        held.put(lease.shard(), lease);
        // an own lease that ran out may come back like this
        leaving.remove(lease.shard());
        change.taken().add(lease);
      }
    }
    for (int shard : List.copyOf(held.keySet())) {
      if (staying <= fair) {
        break;
      }
      if (leaving.add(shard)) {
        change.surplus().add(shard);
        staying--;
      }
    }
  }

  /** Gives shards up of which nothing is under way any more. */
  List<Integer> giveUp(Connection connection, List<Integer> shards) throws SQLException {
    table.giveUp(connection, shards);
    shards.forEach(held::remove);
    leaving.removeAll(shards);
    return shards;
  }

  /** Gives everything up. */
  void end(Connection connection) throws SQLException {
    table.giveUp(connection, held.keySet());
    table.leave(connection);
    held.clear();
  }
}
