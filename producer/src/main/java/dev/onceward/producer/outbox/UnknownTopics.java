package dev.onceward.producer.outbox;

/** What a relay does with rows for a topic that does not exist. */
public enum UnknownTopics {
  /**
   * They wait until it exists; rows for other topics go on. Health names the topic. Right where
   * topics are created after the applications that write to them.
   */
  WAIT,

  /** They become dead rows, each stopping its key. Right where topics exist before all else. */
  DEAD
}
