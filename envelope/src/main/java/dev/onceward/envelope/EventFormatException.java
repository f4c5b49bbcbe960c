package dev.onceward.envelope;

/** The record is not an event that can be read; the message names the header and the fix. */
public final class EventFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public EventFormatException(String message) {
    super(message);
  }
}
