package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.LeasePolicy;
import java.time.Duration;
import java.util.Set;

/**
 * The numbers an engine works by.
 *
 * @param group the consumer group, for names of threads and messages
 * @param topics what to read
 * @param concurrency handlers that may run at once
 * @param batches how many works may share a run
 * @param keyless the order of records without a key
 * @param inOrder topics whose records are handled in the order of their partition, whatever their
 *     keys
 * @param leases how long a handler may run
 * @param maxCrashes how often the process may die while one record is at work alone
 * @param drainBudget how long revoke and stop wait for handlers
 * @param commitInterval how often finished work is committed
 * @param maxRecords records that may be in flight, over all partitions
 * @param maxBytes bytes that may be in flight, over all partitions
 * @param pollRecords records that one poll brings at most
 */
public record EngineSettings(
    String group,
    Set<String> topics,
    int concurrency,
    BatchPolicy batches,
    KeylessRecords keyless,
    Set<String> inOrder,
    LeasePolicy leases,
    int maxCrashes,
    Duration drainBudget,
    Duration commitInterval,
    int maxRecords,
    long maxBytes,
    int pollRecords) {}
