package dev.onceward.producer.outbox;

import org.jspecify.annotations.Nullable;

/**
 * An event was not put into the outbox, because a policy or a limit refuses it. Nothing was written
 * and the transaction is as it was. The message is one line that says which event, why, and the
 * fix.
 */
public final class OutboxRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final String eventId;

  /**
   * Creates the exception.
   *
   * @param topic the topic it was meant for
   * @param eventId the event's id
   * @param eventType the event's type
   * @param reason why, and what mends it; no full stop at its end
   * @param cause what refused it, or null
   */
  public OutboxRefusedException(
      String topic, String eventId, String eventType, String reason, @Nullable Throwable cause) {
    super(
        "Event "
            + eventId
            + " ("
            + eventType
            + ") was not put into the outbox for "
            + topic
            + ": "
            + reason
            + '.',
        cause);
    this.topic = topic;
    this.eventId = eventId;
  }

  /** The topic it was meant for. */
  public String topic() {
    return topic;
  }

  /** The event's id. */
  public String eventId() {
    return eventId;
  }
}
