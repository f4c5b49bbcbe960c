package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.producer.outbox.Outbox;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Debezium's own connector and outbox event router, set up as the guide says, read the table. */
@EngineTest
class OutboxDebeziumIT {

  private static final Pattern SETTINGS =
      Pattern.compile("```properties\\R(.*?)```", Pattern.DOTALL);

  private final PostgresServer postgres =
      PostgresServer.builder().setting("wal_level", "logical").start();
  private final TestDatabase database = postgres.createDatabase("captured");
  private final OutboxScene outbox;

  OutboxDebeziumIT(KafkaServer kafka) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
    postgres.close();
  }

  @Test
  void theEventsThatArriveAreThoseAppendedInTheOrderOfTheirKeys() throws Exception {
    String clients = System.getProperty("onceward.debezium.clients");
    assumeThat(clients).as("the Kafka clients of Debezium, which the build provides").isNotNull();
    String topic = outbox.scene().topic(1);
    Outbox writer = Outbox.builder().changeDataCapture().build();
    outbox.createEntities(5);
    Event full =
        OutboxScene.event("key", 1).toBuilder()
            .extension("unknown", "as it is")
            .correlationId("c-1")
            .originTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .build();
    Event keyless =
        Event.builder()
            .source("/it")
            .type(Scene.NOTED)
            .originTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .data(new byte[] {0, -1, 10}, "application/octet-stream")
            .build();
    try (ChildApp connector =
        ChildApp.start(
            DebeziumApp.class,
            configuration(),
            List.of("-Xmx256m", "-cp", clients + ":" + ChildApp.classPath()))) {
      eventually()
          .until(() -> connector.log().contains(DebeziumApp.READING) || !connector.isAlive());
      assertThat(connector.isAlive()).as(connector.log()).isTrue();
      eventually()
          .until(
              () -> outbox.number("SELECT count(*) FROM pg_replication_slots WHERE active") == 1);

      outbox.commit(tx -> writer.append(tx, topic, full));
      outbox.commit(tx -> writer.appendAll(tx, topic, List.of(keyless)));
      for (int i = 0; i < 100; i++) {
        String key = "key-" + i % 5;
        outbox.commit(tx -> writer.append(tx, topic, OutboxScene.changed(tx, key)));
      }

      List<ConsumerRecord<byte[], byte[]>> records = outbox.awaitRecords(topic, 102);
      assertThat(records).hasSize(102);
      List<Event> read = records.stream().map(EventReader.standard()::read).toList();
      assertThat(read.get(0)).isEqualTo(full);
      assertThat(read.get(0).entityKey()).contains("key");
      assertThat(read.get(1)).isEqualTo(keyless);
      assertThat(records.get(1).key()).isNull();
      assertThat(Occurrences.header(records.get(0), "traceparent")).startsWith("00-");
      for (int key = 0; key < 5; key++) {
        String name = "key-" + key;
        assertThat(
                read.stream()
                    .filter(event -> event.entityKey().filter(name::equals).isPresent())
                    .map(event -> event.entityVersion().orElseThrow()))
            .containsExactly(
                1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L,
                19L, 20L);
      }
      assertThat(outbox.number("SELECT count(*) FROM onceward_outbox")).isZero();
    }
  }

  /** What the guide says, and where database and brokers are. */
  private Properties configuration() throws IOException {
    Matcher settings =
        SETTINGS.matcher(Files.readString(Path.of("../../docs/outbox.md").toAbsolutePath()));
    assertThat(settings.find()).isTrue();
    Properties engine = new Properties();
    engine.load(new StringReader(settings.group(1)));
    engine.put("name", "outbox");
    engine.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    engine.put("database.hostname", "127.0.0.1");
    engine.put("database.port", Integer.toString(postgres.port()));
    engine.put("database.user", postgres.user());
    engine.put("database.password", postgres.password());
    engine.put("database.dbname", database.name());
    engine.put("table.include.list", outbox.schema() + ".onceward_outbox");
    Properties configuration = AppConfiguration.ofClient(outbox.scene().kafka().clientProperties());
    DebeziumApp.putEngine(configuration, engine);
    return configuration;
  }
}
