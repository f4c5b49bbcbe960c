package dev.onceward.producer.internal.outbox;

import java.util.Set;

/**
 * What to read: parallel arrays, a place for each bucket.
 *
 * @param states what is known of the buckets
 * @param forgotten how often rows of each had been forgotten by then
 * @param buckets their numbers
 * @param floors the low-water marks
 * @param cursors how far they were read
 * @param rooms how many rows of each may come
 * @param epochs the epochs of the leases
 * @param revisions the revisions of the leases
 * @param known the numbers of the rows in memory
 * @param closedTopics topics whose rows are not wanted
 * @param heldTopics the topics of keys whose rows are not wanted
 * @param heldKeys those keys
 * @param bytes how many bytes each bucket's rows may have, all but the last of them
 */
@SuppressWarnings("ArrayRecordComponent") // made for one statement, never compared
record ReadRequest(
    BucketState[] states,
    int[] forgotten,
    Short[] buckets,
    Long[] floors,
    Long[] cursors,
    Integer[] rooms,
    Long[] epochs,
    Long[] revisions,
    Long[] known,
    Set<String> closedTopics,
    String[] heldTopics,
    byte[][] heldKeys,
    long bytes) {}
