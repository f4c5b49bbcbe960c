package dev.onceward.consumer;

/**
 * What a consumer has done since it was started. Each delivery that is done counts in exactly one
 * of the first seven.
 *
 * @param applied handlers that returned and whose effect is committed
 * @param duplicates events that had taken effect before
 * @param stale events with a version that was not newer
 * @param expired events past their expiry time
 * @param unhandled events of a type nobody handles
 * @param tombstones records without a value that are no event
 * @param deadLettered records whose dead letter was acknowledged by the broker
 * @param retries tries after the first, of whatever outcome
 * @param alreadyDone records that an earlier owner of their partition had done, as its commit
 *     tells, and that were passed over; they are no deliveries
 */
public record DeliveryCounts(
    long applied,
    long duplicates,
    long stale,
    long expired,
    long unhandled,
    long tombstones,
    long deadLettered,
    long retries,
    long alreadyDone) {

  /** All deliveries that are done. */
  public long done() {
    return applied + duplicates + stale + expired + unhandled + tombstones + deadLettered;
  }
}
