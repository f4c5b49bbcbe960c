package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers.Handler;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.Flaky;
import dev.onceward.testkit.KafkaServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that fail, in all the ways in which Java lets them. */
@EngineTest
class FailureIT {

  private static final RetryPolicy THREE =
      RetryPolicy.builder()
          .maxAttempts(3)
          .initialDelay(Duration.ofMillis(5))
          .maxDelay(Duration.ofMillis(20))
          .build();

  private final Scene scene;
  private final Journal journal = new Journal();

  FailureIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void aRetryKnowsWhichAttemptItIs() {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, List.of(Scene.note("a", "1"), Scene.note("a", "2")));
    Flaky<String> flaky = Flaky.times(2, () -> new IOException("not yet"));
    List<String> attempts = new CopyOnWriteArrayList<>();
    EventConsumer consumer =
        start(
            topic,
            (note, delivery) -> {
              attempts.add(note.text() + "#" + delivery.attempt());
              flaky.run(note.text(), () -> {});
            });
    eventually().until(() -> consumer.counts().applied() == 2);

    assertThat(attempts).containsExactly("1#1", "1#2", "1#3", "2#1", "2#2", "2#3");
    assertThat(consumer.counts().retries()).isEqualTo(4);
    assertThat(consumer.counts().deadLettered()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void afterTheLastAttemptTheKeyGoesOnWithoutTheEvent(GroupProtocol protocol) {
    String topic = scene.topic(1);
    scene
        .publisher()
        .publish(
            topic, List.of(Scene.note("a", "1"), Scene.note("a", "bad"), Scene.note("a", "3")));
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    protocol,
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              if (note.text().equals("bad")) {
                                throw new IOException("never");
                              }
                            })))
                .retryPolicy(THREE));
    eventually().until(() -> consumer.counts().done() == 3);
    eventually().until(() -> scene.committed(topic, 0) == 3);

    assertThat(consumer.counts().applied()).isEqualTo(2);
    ConsumerRecord<byte[], byte[]> letter = letters(topic, 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("ATTEMPTS_EXHAUSTED");
    assertThat(DeadLetter.header(letter, "__dlq.errors.delivery.count")).isEqualTo("3");
    assertThat(DeadLetter.header(letter, "__dlq.errors.offset")).isEqualTo("1");
    assertThat(journal.runs()).extracting(Journal.Run::offset).containsExactly(0L, 1L, 1L, 1L, 2L);
  }

  static List<Supplier<Throwable>> failuresOfAllKinds() {
    return List.of(
        () -> new IOException("checked"),
        () -> new IllegalStateException("unchecked"),
        () -> new AssertionError("an Error"),
        () -> new LinkageError("an Error of the JVM"),
        () -> new OutOfMemoryError("not really"),
        () -> new InterruptedException("of the handler's own making"),
        () -> new Throwable("neither Exception nor Error"),
        () -> new Unprintable());
  }

  @ParameterizedTest
  @MethodSource("failuresOfAllKinds")
  void whateverIsThrownIsRetriedAndThenDeadLettered(Supplier<Throwable> failure) {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, List.of(Scene.note("a", "bad"), Scene.note("a", "good")));
    EventConsumer consumer =
        start(
            topic,
            (note, delivery) -> {
              if (note.text().equals("bad")) {
                throw FailureIT.<RuntimeException>sneaky(failure.get());
              }
            });
    eventually()
        .until(() -> consumer.counts().done() == 2 || consumer.health().failure().isPresent());

    assertThat(consumer.health().failure()).isEmpty();
    assertThat(consumer.counts().retries()).isEqualTo(2);
    assertThat(consumer.counts().applied()).isEqualTo(1);
    assertThat(DeadLetter.header(letters(topic, 1).get(0), "dlq_exception")).isNotEmpty();
  }

  @Test
  void aStackOverflowIsAFailureLikeAnyOther() {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, List.of(Scene.note("a", "deep"), Scene.note("a", "good")));
    EventConsumer consumer =
        start(
            topic,
            (note, delivery) -> {
              if (note.text().equals("deep")) {
                recurse(1);
              }
            });
    eventually().until(() -> consumer.counts().done() == 2);

    assertThat(consumer.counts().deadLettered()).isEqualTo(1);
    ConsumerRecord<byte[], byte[]> letter = letters(topic, 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_exception")).contains("StackOverflowError");
    assertThat(DeadLetter.header(letter, "dlq_stacktrace").getBytes(UTF_8))
        .hasSizeLessThanOrEqualTo(4096);
  }

  @Test
  void permanentFailuresAreNotRetried() {
    String topic = scene.topic(1);
    scene
        .publisher()
        .publish(topic, List.of(Scene.note("a", "said"), Scene.note("a", "configured")));
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        (note, delivery) -> {
                          throw note.text().equals("said")
                              ? new PermanentFailure("no use")
                              : new UnsupportedOperationException("of no use either");
                        }))
                .retryPolicy(
                    RetryPolicy.builder()
                        .permanent(Set.of(UnsupportedOperationException.class))
                        .build()));
    eventually().until(() -> consumer.counts().deadLettered() == 2);

    assertThat(consumer.counts().retries()).isZero();
    assertThat(letters(topic, 2))
        .allMatch(letter -> DeadLetter.header(letter, "dlq_reason").equals("PERMANENT"));
  }

  private EventConsumer start(String topic, Handler<Note> handler) {
    return scene.start(
        scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, handler)).retryPolicy(THREE));
  }

  private List<ConsumerRecord<byte[], byte[]>> letters(String topic, int count) {
    return scene.collector().awaitCount(scene.deadLetters(topic), count);
  }

  private static int recurse(int depth) {
    return depth == Integer.MAX_VALUE ? 0 : recurse(depth + 1) + 1;
  }

  // the point: javac is told a lie, as Kotlin and Lombok tell it
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T sneaky(Throwable failure) throws T {
    throw (T) failure;
  }

  /** Fails again when it is asked what went wrong. */
  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message for you");
    }
  }
}
