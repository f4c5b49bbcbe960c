package dev.onceward.producer.internal.outbox;

import java.util.List;
import java.util.Set;

/**
 * What was read.
 *
 * @param settled every row up to here was committed, or never comes, before this was read
 * @param buckets the buckets that were read; the shards of the others were not ours as they were
 *     asked for
 * @param late rows at or below the cursors that were not in memory, by bucket and number
 * @param ahead rows above the cursors, by bucket and number
 */
record ReadResult(long settled, Set<Integer> buckets, List<Row> late, List<Row> ahead) {}
