package dev.onceward.consumer;

/** How a delivery ended without a failure. */
public enum Outcome {
  /** The handler returned and its effect is committed. */
  APPLIED,
  /** The event had taken effect before; the handler did not run. */
  DUPLICATE,
  /** A version that is not older had been applied to the entity; the handler did not run. */
  STALE,
  /** The event's {@code ce_expirytime} had passed; the handler did not run. */
  EXPIRED,
  /** No handler takes the event's type. */
  UNHANDLED,
  /** The record has no value and is no event: a delete marker of a compacted topic. */
  TOMBSTONE
}
