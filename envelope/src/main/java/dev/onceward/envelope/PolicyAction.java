package dev.onceward.envelope;

/** What to do about an event that does not follow a policy. */
public enum PolicyAction {
  /** Nothing. */
  ALLOW,
  /** Log a warning, once for each event type. */
  WARN,
  /** Throw an {@link EventPolicyException}. */
  REFUSE
}
