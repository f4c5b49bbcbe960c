package dev.onceward.consumer;

/** Why a record was dead-lettered; the value of the {@code dlq_reason} header. */
public enum DeadLetterReason {
  /** The record is no event that can be read, or its data is not what the handler takes. */
  DESERIALIZATION,
  /** The event lacks an attribute its handler needs. */
  VALIDATION,
  /** No handler takes the event's type. */
  UNHANDLED_TYPE,
  /** The handler said that no retry can help. */
  PERMANENT,
  /** The handler failed on every attempt it was given. */
  ATTEMPTS_EXHAUSTED,
  /**
   * The event is older than the inbox remembers, so nobody can tell whether it took effect before.
   */
  DEDUPE_WINDOW_EXCEEDED,
  /**
   * The version of the entity before the event's own was not applied in time ({@link
   * VersionGapPolicy}).
   */
  VERSION_GAP,
  /**
   * The handler took longer than its lease ran, and the policy is {@link
   * LeasePolicy.OnExpiry#DEAD_LETTER}.
   */
  LEASE_EXPIRED,
  /**
   * The process died while its handler was at work with nothing beside it, as often as the policy
   * allows ({@link RetryPolicy#maxCrashes}).
   */
  CONSUMER_CRASH
}
