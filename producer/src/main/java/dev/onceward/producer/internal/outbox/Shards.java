package dev.onceward.producer.internal.outbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The shards that this relay holds, and all rows in memory. Belongs to the loop. */
final class Shards {

  /** What rows in memory may have in bytes, all together: half of a producer's buffer. */
  static final long MAX_BYTES = 16L << 20;

  private static final int MIN_ROOM = 16;

  private final TreeMap<Integer, ShardState> held = new TreeMap<>();
  private final int maxRows;
  private final List<Row> goneWhileReading = new ArrayList<>();
  private boolean reading;
  private final AtomicInteger rows = new AtomicInteger();

  /** The rows in memory that are held. */
  private final Set<Row> heldRows = new HashSet<>();

  private volatile int count;
  private long bytes;

  Shards(int maxRows) {
    this.maxRows = maxRows;
  }

  /** Takes a shard in, or again at a new revision; rows under way stay under way. */
  ShardState take(Lease lease) {
    ShardState fresh = new ShardState(lease);
    ShardState old = held.put(lease.shard(), fresh);
    if (old != null) {
      for (BucketState bucket : old.buckets) {
        BucketState now = fresh.bucket(bucket.number);
        now.rows.putAll(bucket.rows);
        now.rows.values().forEach(row -> row.home = fresh);
      }
      fresh.leaving = old.leaving;
    }
    count = held.size();
    return fresh;
  }

  /** Lets a shard go; its rows are nobody's then. */
  @Nullable ShardState drop(int shard) {
    ShardState old = held.remove(shard);
    count = held.size();
    if (old != null) {
      for (BucketState bucket : old.buckets) {
        bucket.rows.values().forEach(this::uncount);
        bucket.rows.values().forEach(row -> row.home = null);
        bucket.rows.clear();
      }
    }
    return old;
  }

  @Nullable ShardState get(int shard) {
    return held.get(shard);
  }

  /** The bucket of a row that was read, if its shard is still held. */
  @Nullable BucketState bucket(int number) {
    ShardState shard = held.get(Buckets.shardOf(number));
    return shard == null ? null : shard.bucket(number);
  }

  Iterable<ShardState> all() {
    return new ArrayList<>(held.values());
  }

  /** How many rows are in memory; from any thread. */
  int rows() {
    return rows.get();
  }

  /** How many shards are held; from any thread. */
  int count() {
    return count;
  }

  boolean isEmpty() {
    return rows.get() == 0;
  }

  /** Whether there is room enough to be worth a read. */
  boolean hasRoom() {
    return bytes < MAX_BYTES / 2 && rows.get() - heldRows.size() <= maxRows - maxRows / 4;
  }

  void add(Row row, BucketState bucket) {
    bucket.rows.put(row.seq, row);
    row.home = bucket.shard;
    rows.incrementAndGet();
    bytes += row.size;
  }

  /**
   * The database does not have the row any more. While a read is under way it may still bring it.
   */
  void goneFromDatabase(Row row) {
    if (reading) {
      goneWhileReading.add(row);
    } else {
      remove(row);
    }
  }

  /**
   * A row gets no further for now, and may be so for long: others get its place. What is behind it
   * in its key is not read meanwhile, nor is its topic when many rows of it are held.
   */
  void hold(Row row) {
    row.held = true;
    heldRows.add(row);
  }

  /** A held row gets on. A read that is under way has passed over what is behind it. */
  void letGo(Row row) {
    ShardState home = row.home;
    if (row.held && home != null) {
      home.bucket(row.bucket).forgotten++;
    }
    row.held = false;
    heldRows.remove(row);
  }

  /** Takes a row out of memory that stays in the database, and is read again. */
  void forget(Row row) {
    ShardState home = row.home;
    if (home != null) {
      home.bucket(row.bucket).forgotten++;
    }
    remove(row);
  }

  private void remove(Row row) {
    ShardState home = row.home;
    if (home != null && home.bucket(row.bucket).rows.remove(row.seq, row)) {
      uncount(row);
    }
    row.home = null;
  }

  private void uncount(Row row) {
    row.held = false;
    heldRows.remove(row);
    rows.decrementAndGet();
    bytes -= row.size;
  }

  void readBegins() {
    reading = true;
  }

  void readEnds() {
    reading = false;
    goneWhileReading.forEach(this::remove);
    goneWhileReading.clear();
  }

  /** What is to be read next; null when no shard can be read. */
  @Nullable ReadRequest request(Set<String> closedTopics, long now) {
    List<BucketState> buckets = new ArrayList<>();
    for (ShardState shard : held.values()) {
      if (shard.ready && !shard.leaving && shard.lease.isValid(now)) {
        buckets.addAll(List.of(shard.buckets));
      }
    }
    if (buckets.isEmpty()) {
      return null;
    }
    int most = Math.max(MIN_ROOM, maxRows / buckets.size());
    Map<BucketState, Integer> held = new HashMap<>();
    heldRows.forEach(row -> held.merge(bucketOf(row), 1, Integer::sum));
    ToIntFunction<BucketState> room =
        bucket -> most - bucket.rows.size() + held.getOrDefault(bucket, 0);
    buckets.removeIf(bucket -> room.applyAsInt(bucket) <= 0);
    if (buckets.isEmpty()) {
      return null;
    }
    Set<String> closed = new HashSet<>(closedTopics);
    closed.addAll(crowded());
    return request(buckets, room, closed);
  }

  private static BucketState bucketOf(Row row) {
    return Objects.requireNonNull(row.home, "a held row is in memory").bucket(row.bucket);
  }

  /** The topics of which so many rows are held that no more are to come into memory. */
  private Set<String> crowded() {
    Map<String, Integer> counts = new HashMap<>();
    heldRows.forEach(row -> counts.merge(row.topic, 1, Integer::sum));
    counts.values().removeIf(count -> count < Math.max(MIN_ROOM, maxRows / 4));
    return counts.keySet();
  }

  private ReadRequest request(
      List<BucketState> buckets, ToIntFunction<BucketState> room, Set<String> closedTopics) {
    List<Long> known = new ArrayList<>(rows.get());
    List<RowKey> keys = new ArrayList<>();
    heldRows.forEach(
        row -> {
          if (row.key != null) {
            keys.add(row.key);
          }
        });
    buckets.forEach(bucket -> known.addAll(bucket.rows.keySet()));
    return new ReadRequest(
        buckets.toArray(BucketState[]::new),
        buckets.stream().mapToInt(bucket -> bucket.forgotten).toArray(),
        buckets.stream().map(bucket -> (short) bucket.number).toArray(Short[]::new),
        buckets.stream().map(bucket -> bucket.floor).toArray(Long[]::new),
        buckets.stream().map(bucket -> bucket.cursor).toArray(Long[]::new),
        buckets.stream().map(room::applyAsInt).toArray(Integer[]::new),
        buckets.stream().map(bucket -> bucket.shard.lease.epoch()).toArray(Long[]::new),
        buckets.stream().map(bucket -> bucket.shard.lease.revision()).toArray(Long[]::new),
        known.toArray(Long[]::new),
        Set.copyOf(closedTopics),
        keys.stream().map(RowKey::topic).toArray(String[]::new),
        keys.stream().map(RowKey::key).toArray(byte[][]::new),
        Math.max(1, (MAX_BYTES - bytes) / buckets.size()));
  }

  /** A request that names all buckets, to ask other questions about them; null without any. */
  @Nullable ReadRequest everything(long now) {
    List<BucketState> buckets = new ArrayList<>();
    for (ShardState shard : held.values()) {
      if (shard.ready && shard.lease.isValid(now)) {
        buckets.addAll(List.of(shard.buckets));
      }
    }
    return buckets.isEmpty() ? null : request(buckets, bucket -> Integer.MAX_VALUE, Set.of());
  }

  void forEachRow(Consumer<Row> action) {
    for (ShardState shard : all()) {
      for (BucketState bucket : shard.buckets) {
        new ArrayList<>(bucket.rows.values()).forEach(action);
      }
    }
  }
}
