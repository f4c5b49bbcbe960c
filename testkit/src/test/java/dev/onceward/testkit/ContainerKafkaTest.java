package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

class ContainerKafkaTest {

  @Test
  @EnabledIfSystemProperty(named = KafkaMode.PROPERTY, matches = "testcontainers")
  void recordsGoInAndComeOutAndBrokerPropertiesHold() throws Exception {
    KafkaSettings settings =
        KafkaSettings.builder().brokerProperty("message.max.bytes", 2000).build();
    try (KafkaServer kafka = KafkaServer.start(settings)) {
      assertThat(kafka).isInstanceOf(ContainerKafka.class);
      kafka.createTopic("orders", 1);
      Clients.produce(kafka, "orders", "a", "b");
      assertThat(Clients.consume(kafka, "orders", "billing", "consumer", 2))
          .containsExactly("a", "b");
      assertThat(Clients.texts(RecordCollector.on(kafka).readAll("orders")))
          .containsExactly("a", "b");
      try (RawPublisher publisher = RawPublisher.on(kafka)) {
        ProducerRecord<byte[], byte[]> large = new ProducerRecord<>("orders", new byte[3000]);
        assertThatThrownBy(() -> publisher.send(large)).isInstanceOf(TestkitException.class);
      }
      assertThatThrownBy(() -> kafka.endOffsets("nowhere"))
          .isInstanceOf(TestkitException.class)
          .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }
  }

  @Test
  @EnabledIfSystemProperty(named = KafkaMode.PROPERTY, matches = "testcontainers")
  void wrongCredentialsAreRefusedAndRightOnesAreNot() throws Exception {
    KafkaSettings settings = KafkaSettings.builder().saslPlain("alice", "right").build();
    try (KafkaServer kafka = ContainerKafka.start(settings)) {
      kafka.createTopic("orders", 1);
      Clients.produce(kafka, "orders", "a");
      Map<String, Object> wrong = new HashMap<>(kafka.clientProperties());
      wrong.computeIfPresent(
          "sasl.jaas.config", (k, value) -> value.toString().replace("right", "wrong"));
      wrong.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000);
      try (KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(wrong, new ByteArraySerializer(), new ByteArraySerializer())) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("orders", new byte[1]);
        assertThatThrownBy(() -> producer.send(record).get(20, TimeUnit.SECONDS))
            .hasRootCauseInstanceOf(SaslAuthenticationException.class);
      }
    }
  }

  @Test
  void whatAContainerCannotHaveIsRefused() {
    KafkaSettings settings = KafkaSettings.builder().directory(Path.of("somewhere")).build();
    assertThatThrownBy(() -> ContainerKafka.start(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use ChildKafka");
  }
}
