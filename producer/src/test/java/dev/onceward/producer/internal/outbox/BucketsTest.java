package dev.onceward.producer.internal.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class BucketsTest {

  private static final int KNOWN_BUCKET = 54;

  /** Rows are stored under these numbers: they must never change. */
  @Test
  void bucketsOfKnownKeysAreWhatTheyHaveAlwaysBeen() {
    assertThat(Buckets.of("order-1".getBytes(UTF_8), "any")).isEqualTo(KNOWN_BUCKET);
    assertThat(Buckets.of(null, "order-1")).isEqualTo(KNOWN_BUCKET);
  }

  @Test
  void keysAreSpreadOverAllBuckets() {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int i = 0; i < 64_000; i++) {
      counts.merge(Buckets.of(("key-" + i).getBytes(UTF_8), ""), 1, Integer::sum);
    }
    assertThat(counts.keySet()).containsAll(IntStream.range(0, 64).boxed().toList()).hasSize(64);
    assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(700, 1_300));
  }

  @Test
  void everyBucketIsInOneShard() {
    int[] all =
        IntStream.range(0, Buckets.SHARDS)
            .flatMap(shard -> IntStream.of(Buckets.of(shard)))
            .sorted()
            .toArray();
    assertThat(all).isEqualTo(IntStream.range(0, Buckets.BUCKETS).toArray());
    for (int shard = 0; shard < Buckets.SHARDS; shard++) {
      int expected = shard;
      assertThat(IntStream.of(Buckets.of(shard)).map(Buckets::shardOf))
          .allMatch(each -> each == expected);
    }
  }

  @Test
  void theSizeOfARecordIsNeverTakenForLess() {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>("t", null, "key".getBytes(UTF_8), new byte[100]);
    record.headers().add("näme", new byte[10]).add("none", null);
    assertThat(WireSize.of(record))
        .isGreaterThanOrEqualTo(61 + 3 + 100 + 5 + 10 + 4)
        .isLessThan(61 + 3 + 100 + 5 + 10 + 4 + 100);
  }
}
