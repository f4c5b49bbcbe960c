package dev.onceward.producer.internal.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** How rows are spread over buckets, and buckets over shards. Stored: these never change. */
public final class Buckets {
  /** All buckets; many more than relays. */
  public static final int BUCKETS = 64;

  /** All shards; the most relays that have work. */
  public static final int SHARDS = 16;

  private Buckets() {}

  /** The bucket of a key, by the hash of Kafka's own partitioner; without a key, of the id. */
  public static int of(byte @Nullable [] key, String eventId) {
    byte[] hashed = key == null ? eventId.getBytes(UTF_8) : key;
    return Utils.toPositive(Utils.murmur2(hashed)) % BUCKETS;
  }

  /** The shard of a bucket. */
  public static int shardOf(int bucket) {
    return bucket % SHARDS;
  }

  /** The buckets of a shard. */
  public static int[] of(int shard) {
    int[] buckets = new int[BUCKETS / SHARDS];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = shard + i * SHARDS;
    }
    return buckets;
  }
}
