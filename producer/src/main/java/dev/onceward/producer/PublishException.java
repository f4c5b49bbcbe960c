package dev.onceward.producer;

import org.jspecify.annotations.Nullable;

/**
 * An event was not acknowledged by the brokers. The message is one line that says which event, why,
 * and which setting mends it. After a timeout the event may still have been written; publishing the
 * same event again is safe for consumers that are idempotent.
 */
public final class PublishException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String eventId;
  private final @Nullable String eventType;
  private final String topic;
  private final String reason;

  /**
   * Creates the exception.
   *
   * @param topic the topic it was meant for
   * @param eventId the event's id, or null for a record that is no event
   * @param eventType the event's type, or null where the record does not say
   * @param reason why, and which setting mends it; no full stop at its end
   * @param cause what Kafka threw, or null
   */
  public PublishException(
      String topic,
      @Nullable String eventId,
      @Nullable String eventType,
      String reason,
      @Nullable Throwable cause) {
    super(
        describe(eventId, eventType) + " was not published to " + topic + ": " + reason + '.',
        cause);
    this.topic = topic;
    this.reason = reason;
    this.eventId = eventId;
    this.eventType = eventType;
  }

  /** The topic it was meant for. */
  public String topic() {
    return topic;
  }

  /** Why, and which setting mends it; without a full stop at its end. */
  public String reason() {
    return reason;
  }

  /** The event's id; null for a record that is no event. */
  public @Nullable String eventId() {
    return eventId;
  }

  /** The event's type; null where the record does not say. */
  public @Nullable String eventType() {
    return eventType;
  }

  private static String describe(@Nullable String eventId, @Nullable String eventType) {
    if (eventId == null) {
      return "A record that is no event";
    }
    return "Event " + eventId + (eventType == null ? "" : " (" + eventType + ')');
  }
}
