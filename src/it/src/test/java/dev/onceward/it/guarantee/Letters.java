package dev.onceward.it.guarantee;

import org.apache.kafka.common.TopicPartition;

/** Which records lie on the dead-letter topics. */
interface Letters {

  /** Reads up to what is there now. */
  void catchUp();

  /** When the record's first letter was written, in epoch milliseconds; the far future if never. */
  long writtenAt(TopicPartition partition, long offset);

  default boolean contain(TopicPartition partition, long offset) {
    return writtenAt(partition, offset) != Long.MAX_VALUE;
  }
}
