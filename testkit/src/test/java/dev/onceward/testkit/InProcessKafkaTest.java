package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.testkit.internal.ExitGuard;
import dev.onceward.testkit.internal.Ports;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InProcessKafkaTest {

  @Test
  void recordsGoInAndComeOutThroughBothGroupProtocols() throws Exception {
    try (InProcessKafka kafka = InProcessKafka.start()) {
      kafka.createTopic("orders", 2, Map.of("cleanup.policy", "delete"));
      Clients.produce(kafka, "orders", "a", "b", "c");

      assertThat(Clients.consume(kafka, "orders", "classic", "classic", 3))
          .containsExactlyInAnyOrder("a", "b", "c");
      assertThat(Clients.consume(kafka, "orders", "consumer", "consumer", 3))
          .containsExactlyInAnyOrder("a", "b", "c");
      assertThat(kafka.endOffsets("orders").values()).hasSize(2);
      assertThat(kafka.endOffsets("orders").values().stream().mapToLong(Long::longValue).sum())
          .isEqualTo(3);
      kafka.deleteTopic("orders");
      assertThatThrownBy(() -> kafka.deleteTopic("orders"))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("delete topic 'orders'");
    }
  }

  @Test
  void wrongCredentialsAreRefusedAndRightOnesAreNot() throws Exception {
    KafkaSettings settings = KafkaSettings.builder().saslPlain("alice", "right").build();
    try (InProcessKafka kafka = InProcessKafka.start(settings)) {
      kafka.createTopic("orders", 1);
      Clients.produce(kafka, "orders", "a");

      Map<String, Object> wrong = new HashMap<>(kafka.clientProperties());
      wrong.computeIfPresent(
          "sasl.jaas.config", (k, value) -> value.toString().replace("right", "wrong"));
      wrong.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000);
      try (KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(wrong, new ByteArraySerializer(), new ByteArraySerializer())) {
        assertThatThrownBy(
                () ->
                    producer
                        .send(new ProducerRecord<>("orders", new byte[] {1}))
                        .get(20, TimeUnit.SECONDS))
            .hasRootCauseInstanceOf(SaslAuthenticationException.class);
      }
      assertThat(Clients.texts(RecordCollector.on(kafka).readAll("orders"))).containsExactly("a");
      assertThat(settings.toString()).doesNotContain("right");
    }
  }

  @Test
  void aRestartKeepsRecordsAndPorts() throws Exception {
    try (InProcessKafka kafka = InProcessKafka.start()) {
      String before = kafka.bootstrapServers();
      kafka.createTopic("orders", 1);
      Clients.produce(kafka, "orders", "a");
      kafka.restart();
      assertThat(kafka.bootstrapServers()).isEqualTo(before);
      assertThat(Clients.texts(RecordCollector.on(kafka).readAll("orders"))).containsExactly("a");
    }
  }

  @Test
  void closeFreesThePortEvenTwice() {
    InProcessKafka kafka = InProcessKafka.start();
    int port = kafka.port();
    assertThat(Ports.isFree(port)).isFalse();
    kafka.close();
    kafka.close();
    assertThat(Ports.isFree(port)).isTrue();
  }

  @Test
  void aDirectoryOutlivesTheBrokerAndServesOneAtATime(@TempDir Path directory) throws Exception {
    KafkaSettings settings = KafkaSettings.builder().directory(directory).build();
    String bootstrap;
    try (InProcessKafka kafka = InProcessKafka.start(settings)) {
      bootstrap = kafka.bootstrapServers();
      kafka.createTopic("orders", 1);
      Clients.produce(kafka, "orders", "a");
      assertThatThrownBy(() -> InProcessKafka.start(settings))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("in use by process " + ProcessHandle.current().pid());
    }
    assertThat(directory.resolve("data")).isDirectory();
    try (InProcessKafka kafka = InProcessKafka.start(settings)) {
      assertThat(kafka.bootstrapServers()).isEqualTo(bootstrap);
      assertThat(Clients.texts(RecordCollector.on(kafka).readAll("orders"))).containsExactly("a");
    }
  }

  @Test
  void aWrongBrokerPropertyIsNamed() {
    KafkaSettings settings =
        KafkaSettings.builder().brokerProperty("num.io.threads", "many").build();
    assertThatThrownBy(() -> InProcessKafka.start(settings))
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("num.io.threads");
  }

  @Test
  void aTopicThatExistsIsNamed() {
    try (InProcessKafka kafka = InProcessKafka.start()) {
      kafka.createTopic("orders", 1);
      assertThatThrownBy(() -> kafka.createTopic("orders", 1))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("create topic 'orders'")
          .hasMessageContaining("already exists");
    }
  }

  @Test
  void aFatalFaultDoesNotEndThisJvm() throws Exception {
    AtomicReference<String> reported = new AtomicReference<>();
    assertThat(ExitGuard.install(reported::set)).isTrue();
    Class<?> exit = Class.forName("org.apache.kafka.common.utils.internals.Exit");
    assertThatThrownBy(() -> exit.getMethod("halt", int.class).invoke(null, 1))
        .hasRootCauseInstanceOf(IllegalStateException.class);
    assertThat(reported.get()).contains("status 1");
  }
}
