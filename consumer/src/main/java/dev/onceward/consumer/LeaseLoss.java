package dev.onceward.consumer;

/** Why a lease was lost. */
public enum LeaseLoss {
  /** The handler took longer than the lease ran; {@link LeasePolicy#onExpiry} says what follows. */
  EXPIRED,
  /**
   * The partition was revoked or lost, or the consumer was stopped, and the handler did not finish
   * within the drain budget. The event is redelivered to the next owner of the partition.
   */
  REVOKED
}
