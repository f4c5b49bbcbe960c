package dev.onceward.producer.outbox;

/** Why a row of the outbox cannot be sent. The names are stored. */
public enum DeadReason {
  /** Larger than the producer or the topic allows. */
  TOO_LARGE,

  /** The brokers refuse the record as invalid, for example without a key on a compacted topic. */
  INVALID_RECORD,

  /** The relay's user may not write to the topic. */
  NOT_AUTHORIZED,

  /** The topic's name is not legal. */
  INVALID_TOPIC,

  /** The topic does not exist, and the relay was told not to wait ({@link UnknownTopics#DEAD}). */
  UNKNOWN_TOPIC,

  /** The row itself cannot be read: it was changed, or written by a later version of Onceward. */
  MALFORMED
}
