package dev.onceward.envelope;

/**
 * The record is not an event that can be read. The message names the record (topic, partition,
 * offset), the header or JSON member and the fix; it holds no payload, key or attribute value.
 */
public final class EventFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message. */
  public EventFormatException(String message) {
    super(message);
  }
}
