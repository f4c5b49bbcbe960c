package dev.onceward.producer;

import org.jspecify.annotations.Nullable;

/**
 * Where the broker has put a record: acknowledged by all in-sync replicas.
 *
 * @param topic the topic
 * @param partition the partition
 * @param offset the offset, or -1 when the broker did not say (it had the record already, from an
 *     earlier try whose answer was lost)
 * @param eventId the event's id; null only for a forwarded record that is no event
 */
public record Published(String topic, int partition, long offset, @Nullable String eventId) {}
