package dev.onceward.consumer.internal.engine;

import java.nio.BufferUnderflowException;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnstableOffsetCommitException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** What calls to the Kafka consumer throw, by the Javadoc of KafkaConsumer 4.4 and in the field. */
enum ConsumerError {
  TIMEOUT(Kind.PASSING, TimeoutException::new),
  DISCONNECT(Kind.PASSING, DisconnectException::new),
  NOT_COORDINATOR(Kind.PASSING, NotCoordinatorException::new),
  UNKNOWN_TOPIC_OR_PARTITION(Kind.PASSING, UnknownTopicOrPartitionException::new),
  CORRUPT_RECORD(Kind.PASSING, CorruptRecordException::new),
  UNSTABLE_OFFSET_COMMIT(Kind.PASSING, UnstableOffsetCommitException::new),
  RETRIABLE_COMMIT_FAILED(Kind.PASSING, RetriableCommitFailedException::new),

  COMMIT_FAILED(Kind.OF_THE_GROUP, CommitFailedException::new),
  REBALANCE_IN_PROGRESS(Kind.OF_THE_GROUP, RebalanceInProgressException::new),

  AUTHENTICATION(Kind.LASTING, SaslAuthenticationException::new),
  TOPIC_AUTHORIZATION(Kind.LASTING, text -> new TopicAuthorizationException(Set.of(text))),
  GROUP_AUTHORIZATION(Kind.LASTING, GroupAuthorizationException::forGroupId),
  NO_OFFSET(Kind.LASTING, text -> new NoOffsetForPartitionException(partition(text))),
  OFFSET_OUT_OF_RANGE(
      Kind.LASTING, text -> new OffsetOutOfRangeException(Map.of(partition(text), 7L))),
  FENCED_INSTANCE_ID(Kind.LASTING, FencedInstanceIdException::new),
  UNSUPPORTED_VERSION(Kind.LASTING, UnsupportedVersionException::new),
  INVALID_TOPIC(Kind.LASTING, text -> new InvalidTopicException(text)),
  INVALID_GROUP_ID(Kind.LASTING, InvalidGroupIdException::new),
  RECORD_DESERIALIZATION(
      Kind.LASTING,
      text ->
          new RecordDeserializationException(
              DeserializationExceptionOrigin.VALUE,
              partition(text),
              7,
              0,
              TimestampType.CREATE_TIME,
              null,
              null,
              new RecordHeaders(),
              text,
              new Exception(text))),
  /** How a corrupt record reaches the caller of a poll. */
  RECEIVED_EXCEPTION_WHEN_FETCHING(
      Kind.LASTING, text -> new KafkaException(text, new CorruptRecordException(text))),
  RECORD_TOO_LARGE(Kind.LASTING, text -> new RecordTooLargeException(text)),
  KAFKA(Kind.LASTING, KafkaException::new),
  ILLEGAL_ARGUMENT(Kind.LASTING, IllegalArgumentException::new),
  ILLEGAL_STATE(Kind.LASTING, IllegalStateException::new),
  CONCURRENT_MODIFICATION(Kind.LASTING, ConcurrentModificationException::new),
  BUFFER_UNDERFLOW(Kind.LASTING, text -> new BufferUnderflowException()),
  RUNTIME(Kind.LASTING, RuntimeException::new),
  CHECKED_IN_DISGUISE(Kind.LASTING, Exception::new),

  WAKEUP(Kind.UNCLEAR, text -> new WakeupException()),
  INTERRUPT(Kind.UNCLEAR, text -> new InterruptException(text)),
  BROKER_NOT_AVAILABLE(Kind.UNCLEAR, BrokerNotAvailableException::new),
  UNKNOWN_MEMBER_ID(Kind.UNCLEAR, UnknownMemberIdException::new),
  STALE_MEMBER_EPOCH(Kind.UNCLEAR, StaleMemberEpochException::new),

  OUT_OF_MEMORY(Kind.ERROR, OutOfMemoryError::new),
  STACK_OVERFLOW(Kind.ERROR, StackOverflowError::new),
  LINKAGE(Kind.ERROR, LinkageError::new);

  /** What must follow. */
  enum Kind {
    /** It passes by itself: the consumer must try again. */
    PASSING,
    /** The group moves on: what was to be committed must be tried again, or be redelivered. */
    OF_THE_GROUP,
    /** No retry of a poll can mend it: that must fail the consumer. */
    LASTING,
    /** Either will do. */
    UNCLEAR,
    /** Nothing is known of the state of the JVM: the consumer must fail. */
    ERROR
  }

  private final Kind kind;

  @SuppressWarnings("ImmutableEnumChecker") // references to constructors, which have no state
  private final Function<String, ? extends Throwable> maker;

  ConsumerError(Kind kind, Function<String, ? extends Throwable> maker) {
    this.kind = kind;
    this.maker = maker;
  }

  Kind kind() {
    return kind;
  }

  /** A new one; on the thread that throws it, because some leave a mark on their thread. */
  Throwable create(String text) {
    return maker.apply(text);
  }

  private static TopicPartition partition(String topic) {
    return new TopicPartition(topic, 0);
  }
}
