package dev.onceward.consumer;

/** A guarantee that the inbox gives to a handler that is a lambda. */
public enum Guarantee {
  /** As {@link Idempotent}. */
  IDEMPOTENT,
  /** As {@link Idempotent} by {@link Idempotent.By#OFFSET}. */
  IDEMPOTENT_BY_OFFSET,
  /** As {@link VersionGuard}. */
  VERSION_GUARD,
  /** As {@link VersionGuard} with {@link VersionGuard.Mode#NEXT}. */
  NEXT_VERSION
}
