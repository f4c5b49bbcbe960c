package dev.onceward.consumer;

import java.time.Duration;

/**
 * A partition whose commits have waited for one record for long.
 *
 * @param topic its topic
 * @param partition its number
 * @param offset the offset of the record that holds it
 * @param keyHash the hash of the record's key, as in the log context; never the key
 * @param attempt the record's present or next attempt, from 1
 * @param age how long it has been the first record that is not done
 * @param gate what it waits for
 */
public record HeldPartition(
    String topic,
    int partition,
    long offset,
    String keyHash,
    int attempt,
    Duration age,
    Gate gate) {

  /** What a record waits for. */
  public enum Gate {
    /** Its handler, which runs. */
    HANDLER,
    /** The time of its next attempt: it has failed. */
    RETRY,
    /** The acknowledgement of its dead letter. */
    DEAD_LETTER,
    /** Its entity's version before its own, which has not been applied. */
    VERSION_GAP,
    /** The fence of its partition, which the inbox's database has not given yet. */
    FENCE,
    /** A permit: as many handlers run as may run at once. */
    PERMIT,
    /**
     * A commit that must come before it starts: the first one of this ownership, or one that names
     * it, or a record that runs alone, after an earlier owner of a partition has died.
     */
    START_MARK,
    /**
     * Its key: a handler that an earlier ownership has started, or whose event was dead-lettered
     * meanwhile, does not return, deaf to its interrupt.
     */
    KEY
  }
}
