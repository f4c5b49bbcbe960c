package dev.onceward.consumer.internal.engine;

import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A commit of one partition on its way to the broker of a {@link ModelGroup}.
 *
 * @param generation of the ownership that wrote it
 * @param version of the log that it speaks of
 * @param clipped whether there was more to say than fitted
 * @param done what its writer knew to be done
 */
record ModelCommit(
    TopicPartition id,
    Partition partition,
    OffsetAndMetadata offset,
    int generation,
    int version,
    boolean clipped,
    Set<ModelRecord> done) {}
