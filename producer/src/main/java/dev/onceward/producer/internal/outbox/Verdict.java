package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.DeadReason;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * What a failed send means for its row.
 *
 * @param kind what is to be done
 * @param reason why the row is dead, with {@link Kind#DEAD}
 */
record Verdict(Kind kind, @Nullable DeadReason reason) {

  /** What is to be done. */
  enum Kind {
    /** The row can never be sent. */
    DEAD,
    /** Its topic is not there. */
    NO_TOPIC,
    /** The producer is of no use any more. */
    NO_PRODUCER,
    /** Try again. What is not known is here: a row is not given up for want of understanding. */
    AGAIN
  }

  private static final Verdict AGAIN = new Verdict(Kind.AGAIN, null);

  /** Judges what the Kafka client threw; null for an error that must not be shown. */
  static Verdict of(@Nullable Throwable error) {
    if (error instanceof RecordTooLargeException || error instanceof RecordBatchTooLargeException) {
      return dead(DeadReason.TOO_LARGE);
    }
    if (error instanceof InvalidRecordException
        || error instanceof InvalidTimestampException
        || error instanceof SerializationException) {
      return dead(DeadReason.INVALID_RECORD);
    }
    if (error instanceof TopicAuthorizationException) {
      return dead(DeadReason.NOT_AUTHORIZED);
    }
    if (error instanceof InvalidTopicException) {
      return dead(DeadReason.INVALID_TOPIC);
    }
    if (error instanceof UnknownTopicOrPartitionException
        || (error instanceof TimeoutException
            && error.getCause() instanceof UnknownTopicOrPartitionException)) {
      return new Verdict(Kind.NO_TOPIC, null);
    }
    if (error instanceof ClusterAuthorizationException
        || error instanceof ProducerFencedException
        || error instanceof InvalidPidMappingException
        || error instanceof IllegalStateException
        || (error != null && error.getClass() == KafkaException.class)) {
      return new Verdict(Kind.NO_PRODUCER, null);
    }
    return AGAIN;
  }

  private static Verdict dead(DeadReason reason) {
    return new Verdict(Kind.DEAD, reason);
  }
}
