package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * One effect to be applied once. Immutable.
 *
 * <p>Four kinds: idempotent, guarded by a version, both, or neither (then it is a plain
 * transaction).
 *
 * @param handlerId the dedupe scope: each handler id sees each event once. Choose it once and keep
 *     it when classes are renamed; 1 to 200 characters, no control characters or unpaired
 *     surrogates
 * @param source the event's source; the identity of an event is (source, id), compared as text
 *     (CloudEvents 1.0.2, "id")
 * @param eventId the event's id; not empty
 * @param idempotent whether a dedupe row is written
 * @param version the entity version to guard with, or null for no guard
 */
public record InboxEntry(
    String handlerId,
    URI source,
    String eventId,
    boolean idempotent,
    @Nullable EntityVersion version) {

  private static final int LONGEST_HANDLER_ID = 200;

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if the handler id or event id is empty or malformed
   */
  public InboxEntry {
    requireNonNull(handlerId, "handlerId");
    requireNonNull(source, "source");
    requireNonNull(eventId, "eventId");
    if (!isHandlerId(handlerId)) {
      throw new IllegalArgumentException(
          "handlerId must be 1 to "
              + LONGEST_HANDLER_ID
              + " characters without control characters or unpaired surrogates");
    }
    if (eventId.isEmpty()) {
      throw new IllegalArgumentException(
          "eventId is empty: handler " + handlerId + " cannot tell the event from others");
    }
  }

  /** Whether the text can be a handler id. */
  public static boolean isHandlerId(String text) {
    return !text.isBlank()
        && text.length() <= LONGEST_HANDLER_ID
        && text.codePoints()
            .noneMatch(
                c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
  }

  /** An idempotent entry without a version guard. */
  public static InboxEntry of(String handlerId, URI source, String eventId) {
    return new InboxEntry(handlerId, source, eventId, true, null);
  }

  /** The same entry, guarded by {@code version} (null: not guarded). */
  public InboxEntry withVersion(@Nullable EntityVersion version) {
    return new InboxEntry(handlerId, source, eventId, idempotent, version);
  }

  /** The same entry, idempotent or not. */
  public InboxEntry withIdempotent(boolean idempotent) {
    return new InboxEntry(handlerId, source, eventId, idempotent, version);
  }

  /**
   * The version an entity has after the event.
   *
   * @param scope what the key is unique in; the topic for events read from Kafka
   * @param key the entity key
   * @param version the entity's version, monotonic per entity. An event whose version is not
   *     greater than the one last applied is stale, even when it is equal
   */
  public record EntityVersion(String scope, String key, long version) {
    /** Checks that nothing is missing. */
    public EntityVersion {
      requireNonNull(scope, "scope");
      requireNonNull(key, "key");
    }
  }
}
