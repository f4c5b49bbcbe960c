package dev.onceward.envelope;

/** An event does not follow a policy; the message names the event, the rule and the fix. */
public final class EventPolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message. */
  public EventPolicyException(String message) {
    super(message);
  }
}
