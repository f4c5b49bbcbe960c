package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A record that goes round: dead-lettered, put back, and dead-lettered again. */
// spring-kafka #2549, #1994, #2335: headers grew with each hop until the record was too large;
// #3816, #1704, PR#3950: several traceparent headers, and a new trace for each retry
@EngineTest
class DeadLetterHopsIT {

  private static final int HOPS = 20;
  private static final String ORIGIN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private final Scene scene;

  DeadLetterHopsIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void afterTwentyHopsTheHeadersAreThoseOfTheFirst() {
    String topic = scene.topic(1);
    ProducerRecord<byte[], byte[]> first = Scene.record(topic, 0, Scene.note("k", "round"));
    first.headers().add("traceparent", ORIGIN.getBytes(UTF_8));
    first.headers().add("ce_traceparent", ORIGIN.getBytes(UTF_8));
    first.headers().add("mine", "kept".getBytes(UTF_8));
    scene.publisher().send(first);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        (note, delivery) -> {
                          throw new IOException("never");
                        }))
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(2)
                        .initialDelay(Duration.ofMillis(1))
                        .build()));
    List<ConsumerRecord<byte[], byte[]>> letters = goRound(topic);
    eventually().until(() -> consumer.counts().deadLettered() == HOPS);

    assertThat(names(letters.get(0))).doesNotHaveDuplicates();
    assertThat(letters)
        .allSatisfy(
            letter -> {
              assertThat(names(letter)).containsExactlyInAnyOrderElementsOf(names(letters.get(0)));
              assertThat(DeadLetter.headers(letter, "traceparent"))
                  .singleElement()
                  .asString()
                  .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
              assertThat(DeadLetter.header(letter, "ce_traceparent")).isEqualTo(ORIGIN);
              assertThat(DeadLetter.header(letter, "mine")).isEqualTo("kept");
              assertThat(DeadLetter.size(letter, "__dlq.errors.", "dlq_"))
                  .isLessThanOrEqualTo(8_192);
            });
    assertThat(DeadLetter.header(letters.get(HOPS - 1), "__dlq.errors.offset"))
        .isEqualTo(Integer.toString(HOPS - 1));
  }

  /** Puts each letter back as it is, until there have been so many. */
  private List<ConsumerRecord<byte[], byte[]>> goRound(String topic) {
    List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> reader =
        new KafkaConsumer<>(
            scene.kafka().clientProperties(),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(scene.deadLetters(topic), 0);
      reader.assign(List.of(partition));
      reader.seekToBeginning(List.of(partition));
      eventually()
          .pollInterval(Duration.ofMillis(1))
          .pollInSameThread()
          .until(
              () -> {
                for (ConsumerRecord<byte[], byte[]> letter : reader.poll(Duration.ofMillis(200))) {
                  letters.add(letter);
                  if (letters.size() < HOPS) {
                    scene.publisher().send(again(topic, letter));
                  }
                }
                return letters.size() == HOPS;
              });
    }
    return letters;
  }

  private static ProducerRecord<byte[], byte[]> again(
      String topic, ConsumerRecord<byte[], byte[]> letter) {
    return new ProducerRecord<>(topic, 0, null, letter.key(), letter.value(), letter.headers());
  }

  private static List<String> names(ConsumerRecord<byte[], byte[]> letter) {
    List<String> names = new ArrayList<>();
    StreamSupport.stream(letter.headers().spliterator(), false)
        .map(Header::key)
        .forEach(names::add);
    return names;
  }
}
