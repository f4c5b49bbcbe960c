package dev.onceward.consumer;

/** What the inbox guards for a handler given as a lambda. */
public enum Guarantee {
  /** As {@link dev.onceward.consumer.Idempotent}. */
  IDEMPOTENT,
  /** As {@link dev.onceward.consumer.VersionGuard}. */
  VERSION_GUARD
}
