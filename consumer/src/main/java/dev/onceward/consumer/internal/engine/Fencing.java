package dev.onceward.consumer.internal.engine;

import org.apache.kafka.common.TopicPartition;

/** Where the fences of partitions come from: the inbox, as the engine knows it. */
@FunctionalInterface
public interface Fencing {

  /**
   * Takes the fence of a partition: from its return on nothing is committed under an earlier one.
   * May block.
   *
   * @return its epoch, greater than every one before
   * @throws Exception if it cannot be taken at present
   */
  long take(TopicPartition partition) throws Exception;
}
