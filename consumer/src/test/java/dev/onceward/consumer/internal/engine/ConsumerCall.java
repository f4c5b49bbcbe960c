package dev.onceward.consumer.internal.engine;

/** A call of the engine to the Kafka consumer, and where in a life it is made to fail. */
enum ConsumerCall {
  SUBSCRIBE("subscribe"),
  POLL("poll"),
  PAUSE("pause"),
  RESUME("resume"),
  COMMITTED("committed"),
  POSITION("position"),
  GROUP_METADATA("groupMetadata"),
  /** Asks nobody, so there is nothing that could fail. */
  METRICS("metrics"),
  /** The call itself fails. */
  COMMIT_ASYNC("commitAsync"),
  /** The call goes well and its callback gets the error. */
  COMMIT_ASYNC_ANSWER("commitAsync"),
  COMMIT_SYNC_ON_REVOKE("commitSync"),
  COMMIT_SYNC_ON_STOP("commitSync"),
  CLOSE("close");

  private final String method;

  ConsumerCall(String method) {
    this.method = method;
  }

  /** The method of {@link org.apache.kafka.clients.consumer.Consumer}. */
  String method() {
    return method;
  }

  boolean isCommit() {
    return method.startsWith("commitA") || method.startsWith("commitS");
  }
}
