package dev.onceward.it.guarantee;

import java.util.HexFormat;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records of one key in one partition: what must run one by one and in order. The records
 * without a key are a lane too.
 *
 * @param key in hexadecimal; "null" for records without one, empty for the empty key
 */
record Lane(TopicPartition partition, String key) {

  static Lane of(TopicPartition partition, byte @Nullable [] key) {
    return new Lane(partition, key == null ? "null" : HexFormat.of().formatHex(key));
  }
}
