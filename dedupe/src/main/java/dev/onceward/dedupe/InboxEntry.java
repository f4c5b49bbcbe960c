package dev.onceward.dedupe;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * One effect to be applied once.
 *
 * @param handlerId the dedupe scope
 * @param source the event's source; the identity of an event is (source, id)
 * @param eventId the event's id
 * @param idempotent whether a dedupe row is written
 * @param version the entity version to guard with, or null for no guard
 */
public record InboxEntry(
    String handlerId,
    URI source,
    String eventId,
    boolean idempotent,
    @Nullable EntityVersion version) {

  /**
   * The version an entity has after the event.
   *
   * @param scope what the key is unique in; the topic for events read from Kafka
   * @param key the entity key
   * @param version the entity's version, monotonic per entity
   */
  public record EntityVersion(String scope, String key, long version) {}
}
