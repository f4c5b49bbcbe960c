package dev.onceward.consumer.internal.failure;

/** The headers added to a dead letter. The {@code __dlq.errors.*} names are those of KIP-1191. */
final class DeadLetterHeaders {

  static final String ERRORS_PREFIX = "__dlq.errors.";
  static final String TOPIC = ERRORS_PREFIX + "topic";
  static final String PARTITION = ERRORS_PREFIX + "partition";
  static final String OFFSET = ERRORS_PREFIX + "offset";
  static final String GROUP = ERRORS_PREFIX + "group";
  static final String DELIVERY_COUNT = ERRORS_PREFIX + "delivery.count";
  static final String MESSAGE = ERRORS_PREFIX + "message";

  static final String OWN_PREFIX = "dlq_";
  static final String REASON = OWN_PREFIX + "reason";
  static final String EXCEPTION = OWN_PREFIX + "exception";
  static final String FINGERPRINT = OWN_PREFIX + "fingerprint";
  static final String FIRST_FAILURE = OWN_PREFIX + "first_failure";
  static final String LAST_FAILURE = OWN_PREFIX + "last_failure";
  static final String HANDLER = OWN_PREFIX + "handler";

  /** The original timestamp in epoch milliseconds: the letter's own is the broker's time. */
  static final String TIMESTAMP = OWN_PREFIX + "timestamp";

  static final String STACKTRACE = OWN_PREFIX + "stacktrace";

  /** The most a message may take, in bytes. */
  static final int MAX_MESSAGE_BYTES = 1024;

  /** The most a stack trace may take, in bytes. */
  static final int MAX_STACK_BYTES = 4096;

  /** The most all added headers may take, names included, in bytes. */
  static final int MAX_ADDED_BYTES = 8192;

  private DeadLetterHeaders() {}

  static boolean isOurs(String name) {
    return name.startsWith(ERRORS_PREFIX) || name.startsWith(OWN_PREFIX);
  }
}
