package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@OncewardTest
class RecordCollectorTest {

  @Test
  void allPartitionsAreReadToTheirEnds(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 2);
    try (RawPublisher publisher = RawPublisher.on(kafka)) {
      publisher.sendAll(
          List.of(record(topic, 1, "c"), record(topic, 0, "a"), record(topic, 0, "b")));
    }
    List<ConsumerRecord<byte[], byte[]>> records = RecordCollector.on(kafka).readAll(topic);
    assertThat(Clients.texts(records)).containsExactly("a", "b", "c");
  }

  @Test
  void anEmptyTopicGivesNothing(KafkaServer kafka, TestTopics topics) {
    assertThat(RecordCollector.on(kafka).readAll(topics.create("orders", 3))).isEmpty();
  }

  @Test
  void recordsThatComeLaterAreAwaited(KafkaServer kafka, TestTopics topics) throws Exception {
    String topic = topics.create("orders", 1);
    CompletableFuture<List<ConsumerRecord<byte[], byte[]>>> collected =
        CompletableFuture.supplyAsync(() -> RecordCollector.on(kafka).awaitCount(topic, 2));
    Clients.produce(kafka, topic, "a", "b");
    assertThat(Clients.texts(collected.get(30, TimeUnit.SECONDS))).containsExactly("a", "b");
  }

  @Test
  void recordsThatNeverComeAreCounted(KafkaServer kafka, TestTopics topics) throws Exception {
    String topic = topics.create("orders", 1);
    Clients.produce(kafka, topic, "a");
    RecordCollector collector = RecordCollector.on(kafka).within(Duration.ofSeconds(1));
    assertThatThrownBy(() -> collector.awaitCount(topic, 2))
        .isInstanceOf(TestkitException.class)
        .hasMessage(
            "topic '%s' gave 1 records within PT1S instead of at least 2 (records by partition: {0=1})"
                .formatted(topic));
  }

  @Test
  void aTopicThatDoesNotExistIsNamed(KafkaServer kafka, TestTopics topics) {
    RecordCollector collector = RecordCollector.on(kafka).within(Duration.ofSeconds(2));
    assertThatThrownBy(() -> collector.readAll(topics.name("nowhere")))
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("topic '" + topics.name("nowhere") + "'");
  }

  private static ProducerRecord<byte[], byte[]> record(String topic, int partition, String value) {
    return new ProducerRecord<>(topic, partition, null, value.getBytes(StandardCharsets.UTF_8));
  }
}
