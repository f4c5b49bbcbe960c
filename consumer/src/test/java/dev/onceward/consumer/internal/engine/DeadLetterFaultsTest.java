package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.internal.failure.DeadLetters;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever sending a dead letter ends in: the record is kept and its letter sent again after a
 * pause, health names the topic, other keys go on, and once it goes well there is one letter.
 */
// spring-kafka #4272, #3867: a recoverer that failed made the consumer loop; parallel-consumer #830
// (its fork's PR#262): a fenced producer's records counted as done though never written
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadLetterFaultsTest {

  /** What a producer answers, among them what a full disk looks like. */
  enum SendError {
    KAFKA_STORAGE(KafkaStorageException::new),
    NOT_ENOUGH_REPLICAS(NotEnoughReplicasException::new),
    NOT_ENOUGH_REPLICAS_AFTER_APPEND(NotEnoughReplicasAfterAppendException::new),
    TIMEOUT(TimeoutException::new),
    BUFFER_EXHAUSTED(BufferExhaustedException::new),
    RECORD_TOO_LARGE(text -> new RecordTooLargeException(text)),
    TOPIC_AUTHORIZATION(text -> new TopicAuthorizationException(text)),
    POLICY_VIOLATION(PolicyViolationException::new),
    OUT_OF_ORDER_SEQUENCE(OutOfOrderSequenceException::new),
    UNKNOWN_PRODUCER_ID(UnknownProducerIdException::new),
    INVALID_PRODUCER_EPOCH(InvalidProducerEpochException::new),
    PRODUCER_FENCED(text -> new ProducerFencedException(text)),
    KAFKA(KafkaException::new),
    /** A producer that is closed already. */
    ILLEGAL_STATE(IllegalStateException::new);

    @SuppressWarnings("ImmutableEnumChecker") // references to constructors, which have no state
    private final Function<String, RuntimeException> maker;

    SendError(Function<String, RuntimeException> maker) {
      this.maker = maker;
    }
  }

  private static final int RECORDS = 20;

  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final AtomicInteger sends = new AtomicInteger();

  @ParameterizedTest
  @EnumSource
  void anAnswerThatIsAnErrorIsTriedAgain(SendError error) {
    assertTriedAgain(
        letter ->
            broken.get()
                ? CompletableFuture.failedFuture(error.maker.apply("refused"))
                : CompletableFuture.completedFuture(null));
  }

  @ParameterizedTest
  @EnumSource
  void anErrorThatIsThrownIsTriedAgain(SendError error) {
    assertTriedAgain(
        letter -> {
          if (broken.get()) {
            throw error.maker.apply("refused");
          }
          return CompletableFuture.completedFuture(null);
        });
  }

  private void assertTriedAgain(DeadLetters.Sender sender) {
    try (EngineLife life = life(sender)) {
      eventually().until(() -> sends.get() >= 1);
      // all but the refused one and what is behind it in its key
      eventually().until(() -> life.counts().applied() == RECORDS - 4);
      eventually().until(() -> !life.health().problems().isEmpty());
      assertThat(life.health().problems())
          .singleElement()
          .asString()
          .contains(life.topic() + ".dlq", "refused");
      await()
          .during(Duration.ofMillis(100))
          .atMost(Duration.ofSeconds(20))
          .until(() -> life.health().state() == State.RUNNING);
      assertThat(sends.get()).as("sends within a moment").isLessThan(10);
      assertThat(life.consumer().committedOffset(life.partition(0))).isLessThanOrEqualTo(1);
      assertThat(life.counts().deadLettered()).isZero();

      broken.set(false);
      eventually().until(() -> life.isComplete(1));
      assertThat(life.letters()).hasSize(1);
      assertThat(life.counts().deadLettered()).isEqualTo(1);
      assertThat(life.counts().applied()).isEqualTo(RECORDS - 1);
      assertThat(life.truth().attempts(life.partition(0), 1)).containsExactly(1);
      eventually().until(() -> life.health().problems().isEmpty());
      life.stop();
      life.assertNoViolation();
    }
  }

  /** Of the state of the JVM nothing is known then: the consumer fails, or tries again. */
  enum Wreck {
    OUT_OF_MEMORY {
      @Override
      Throwable create() {
        return new OutOfMemoryError("while sending");
      }
    },
    NO_CLASS_DEF_FOUND {
      @Override
      Throwable create() {
        return new NoClassDefFoundError("while sending");
      }
    },
    INTERRUPT {
      @Override
      Throwable create() {
        return new InterruptException("while sending");
      }
    };

    abstract Throwable create();
  }

  @ParameterizedTest
  @EnumSource
  void anErrorOfTheJvmIsNeverPassedOverInSilence(Wreck wreck) {
    try (EngineLife life =
        life(
            letter -> {
              if (broken.get()) {
                throw DeadLetterFaultsTest.<RuntimeException>sneaky(wreck.create());
              }
              return CompletableFuture.completedFuture(null);
            })) {
      eventually().until(() -> life.hasEnded() || !life.health().problems().isEmpty());
      assertThat(life.truth().violations()).isEmpty();
      broken.set(false);
      eventually().until(() -> life.hasEnded() || life.isComplete(1));
      if (life.hasEnded()) {
        assertThat(life.health().state()).isEqualTo(State.FAILED);
        assertThat(life.health().failure()).isPresent();
        assertThat(life.consumer().committedOffset(life.partition(0))).isLessThanOrEqualTo(1);
      } else {
        assertThat(life.letters()).hasSize(1);
      }
      life.assertNoViolation();
    }
  }

  // the point: javac is told a lie
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T sneaky(Throwable failure) throws T {
    throw (T) failure;
  }

  /** A life whose second record is refused for ever. */
  private EngineLife life(DeadLetters.Sender sender) {
    EngineLife life =
        EngineLife.builder()
            .sender(
                letter -> {
                  sends.incrementAndGet();
                  return sender.send(letter);
                })
            .handler(
                delivery -> {
                  if (delivery.offset() == 1) {
                    throw new PermanentFailure("never");
                  }
                })
            .build();
    life.append(0, RECORDS, 5);
    life.consumer().rebalanceTo(life.partitions(1));
    return life.start();
  }
}
