package dev.onceward.producer.internal.outbox;

import java.util.List;

/**
 * Keeps what is in memory in step with the leases: shards that were taken are read, those that were
 * lost are forgotten, and those to be given up are, when nothing of them is under way. Belongs to
 * the loop.
 */
final class Holdings {
  private final EventLoop loop;
  private final Shards shards;
  private final Traffic traffic;
  private final Topics topics;
  private final ShardQueries queries;
  private final DatabaseThread reading;
  private final Counters counters;
  private final Leases leases;
  private final DatabaseThread leasing;
  private final String relay;

  Holdings(RelayParts parts, Leases leases, DatabaseThread leasing, String relay) {
    this.loop = parts.loop();
    this.shards = parts.shards();
    this.traffic = parts.traffic();
    this.topics = parts.topics();
    this.queries = parts.queries();
    this.reading = parts.reading();
    this.counters = parts.counters();
    this.leases = leases;
    this.leasing = leasing;
    this.relay = relay;
  }

  /** Looks after the leases, now and from now on. */
  void look() {
    Runnable again = () -> loop.after(leases.interval(), this::look);
    leasing.run(
        session -> session.run(leases::tick),
        change -> {
          apply(change);
          again.run();
        },
        again);
  }

  private void apply(Leases.Change change) {
    change.lost().forEach(this::lost);
    change.renewed().forEach(this::renewed);
    for (Lease lease : change.revised()) {
      if (isHeld(lease.shard())) {
        topics.reconsider();
        load(lease);
      }
    }
    for (Lease lease : change.taken()) {
      counters.taken.increment();
      load(lease);
    }
    change.surplus().forEach(this::leave);
    if (!change.taken().isEmpty() || !change.lost().isEmpty()) {
      Problems.LOG.info(
          "Outbox relay {} holds {} of {} shards", relay, shards.count(), Buckets.SHARDS);
    }
  }

  private boolean isHeld(int shard) {
    return shards.get(shard) != null;
  }

  private void lost(int shard) {
    ShardState held = shards.get(shard);
    if (held != null) {
      counters.lost.increment();
      traffic.forget(row -> row.home == held);
      shards.drop(shard);
    }
  }

  private void renewed(Lease lease) {
    ShardState held = shards.get(lease.shard());
    if (held != null) {
      held.lease = lease;
    }
  }

  private void leave(int shard) {
    ShardState held = shards.get(shard);
    if (held != null) {
      held.leaving = true;
      traffic.forget(row -> row.home == held);
    }
  }

  /** Reads a shard from its start, if it is still held: what was known of it is in doubt. */
  void reload(int shard) {
    ShardState held = shards.get(shard);
    if (held != null) {
      load(held.lease);
    }
  }

  /** Finds out which keys of the shard have dead rows; only then it is read. */
  private void load(Lease lease) {
    ShardState old = shards.get(lease.shard());
    if (old != null) {
      traffic.forget(row -> row.home == old);
    }
    ask(shards.take(lease));
  }

  private void ask(ShardState fresh) {
    Short[] buckets = new Short[fresh.buckets.length];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = (short) fresh.buckets[i].number;
    }
    reading.run(
        session -> session.run(connection -> queries.blocked(connection, buckets)),
        keys -> {
          fresh.blocked.addAll(keys);
          fresh.ready = true;
        },
        () -> {
          if (shards.get(fresh.lease.shard()) == fresh) {
            ask(fresh);
          }
        });
  }

  /** Gives up the shards that are to go and of which nothing is under way. */
  void giveUpWhatIsIdle() {
    for (ShardState shard : shards.all()) {
      if (shard.leaving && shard.isEmpty()) {
        int number = shard.lease.shard();
        shards.drop(number);
        counters.givenUp.increment();
        release(number);
      }
    }
  }

  private void release(int shard) {
    leasing.run(
        session -> session.run(connection -> leases.giveUp(connection, List.of(shard))),
        done -> {},
        () -> release(shard));
  }
}
