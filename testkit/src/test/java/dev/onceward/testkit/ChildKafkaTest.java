package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.testkit.internal.Directories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ChildKafkaTest {
  private static final ChildKafka kafka = ChildKafka.start();

  @AfterAll
  static void close() {
    kafka.close();
  }

  @Test
  void killAndRestartKeepRecordsAndGroupOffsets() throws Exception {
    String bootstrap = kafka.bootstrapServers();
    kafka.createTopic("orders", 1);
    Clients.produce(kafka, "orders", "a", "b", "c");
    assertThat(Clients.consume(kafka, "orders", "billing", "consumer", 3)).hasSize(3);
    Clients.produce(kafka, "orders", "d");
    long firstLife = kafka.pid();

    kafka.kill();

    assertThat(kafka.isRunning()).isFalse();
    assertThatThrownBy(kafka::pid).isInstanceOf(TestkitException.class);
    kafka.restart();
    assertThat(kafka.pid()).isNotEqualTo(firstLife);
    assertThat(kafka.bootstrapServers()).isEqualTo(bootstrap);
    assertThat(Clients.texts(RecordCollector.on(kafka).readAll("orders")))
        .containsExactly("a", "b", "c", "d");
    assertThat(Clients.consume(kafka, "orders", "billing", "consumer", 1)).containsExactly("d");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void whatIsSentToAPausedBrokerArrivesAfterwards() throws Exception {
    kafka.createTopic("payments", 1);
    try (KafkaProducer<byte[], byte[]> producer = Clients.producer(kafka)) {
      producer.send(record("before")).get(20, TimeUnit.SECONDS);
      kafka.pause();
      Future<RecordMetadata> pending = producer.send(record("meanwhile"));
      assertThatThrownBy(() -> pending.get(1, TimeUnit.SECONDS))
          .isInstanceOf(TimeoutException.class);
      kafka.resume();
      assertThat(pending.get(20, TimeUnit.SECONDS).offset()).isEqualTo(1);
    }
  }

  @Test
  void aBrokerThatDoesNotStartShowsItsLog(@TempDir Path directory) {
    KafkaSettings settings =
        KafkaSettings.builder()
            .directory(directory)
            .brokerProperty("num.io.threads", "many")
            .build();
    assertThatThrownBy(() -> ChildKafka.start(settings))
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("ended with status 1 while starting")
        .hasMessageContaining("Invalid value many for configuration num.io.threads");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void noBrokerOutlivesAKilledParentNotEvenAPausedOne(@TempDir Path directory) throws Exception {
    Path running = directory.resolve("running");
    Path paused = directory.resolve("paused");
    List<Process> parents =
        List.of(
            JavaProgram.start(OrphanMakers.KafkaParent.class, running, "run"),
            JavaProgram.start(OrphanMakers.KafkaParent.class, paused, "pause"));
    List<ProcessHandle> brokers = List.of(broker(running), broker(paused));

    for (Process parent : parents) {
      parent.destroyForcibly().waitFor();
    }

    for (ProcessHandle broker : brokers) {
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !broker.isAlive());
    }
    Directories.delete(Path.of(output(running)[1]));
    Directories.delete(Path.of(output(paused)[1]));
  }

  private static ProcessHandle broker(Path output) throws IOException {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.exists(output) && Files.readString(output).endsWith("\n"));
    return ProcessHandle.of(Long.parseLong(output(output)[0])).orElseThrow();
  }

  /** All that the parent printed: nothing but process id and directory. */
  private static String[] output(Path output) throws IOException {
    String[] words = Files.readString(output).strip().split(" ");
    assertThat(words).hasSize(2);
    return words;
  }

  private static ProducerRecord<byte[], byte[]> record(String value) {
    return new ProducerRecord<>("payments", value.getBytes(StandardCharsets.UTF_8));
  }
}
