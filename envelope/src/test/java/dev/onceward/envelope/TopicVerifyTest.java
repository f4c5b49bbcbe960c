package dev.onceward.envelope;

import static org.apache.kafka.common.config.TopicConfig.CLEANUP_POLICY_CONFIG;
import static org.apache.kafka.common.config.TopicConfig.MAX_MESSAGE_BYTES_CONFIG;
import static org.apache.kafka.common.config.TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG;
import static org.apache.kafka.common.config.TopicConfig.RETENTION_BYTES_CONFIG;
import static org.apache.kafka.common.config.TopicConfig.RETENTION_MS_CONFIG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.envelope.Finding.Severity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Against a real broker. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TopicVerifyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String WEEKS = Long.toString(Duration.ofDays(14).toMillis());

  private TestBroker broker;
  private Admin admin;

  @SuppressWarnings("NullAway.Init") // JUnit calls start() first.
  TopicVerifyTest() {}

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    broker = TestBroker.start(directory);
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap()));
  }

  @AfterAll
  void stop() {
    admin.close();
    broker.close();
  }

  private void create(String topic, int partitions, Map<String, String> config) throws Exception {
    admin
        .createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config)))
        .all()
        .get();
    // The broker answers before its own metadata knows.
    await()
        .atMost(TIMEOUT)
        .ignoreException(ExecutionException.class)
        .until(() -> !admin.describeTopics(List.of(topic)).allTopicNames().get().isEmpty());
  }

  private List<Finding> verify(TopicUse... uses) {
    return TopicConventions.verify(admin, List.of(uses), TIMEOUT);
  }

  private static void assertOnlySingleReplica(List<Finding> findings) {
    assertThat(findings).allMatch(f -> f.message().startsWith("it has one replica"));
  }

  @Test
  void aTopicThatFitsItsUseHasNothingToReportButItsSingleReplica() throws Exception {
    create("good", 3, Map.of());
    create("good.dlq", 1, Map.of(RETENTION_MS_CONFIG, WEEKS, MAX_MESSAGE_BYTES_CONFIG, "2000000"));
    create("good.state", 1, Map.of(CLEANUP_POLICY_CONFIG, "compact"));

    List<Finding> findings =
        verify(
            TopicUse.events("good"),
            TopicUse.deadLetters("good.dlq", "good"),
            TopicUse.latestState("good.state"));
    assertThat(findings)
        .extracting(Finding::topic)
        .containsExactly("good", "good.dlq", "good.state");
    assertThat(findings).extracting(Finding::severity).containsOnly(Severity.WARNING);
    assertOnlySingleReplica(findings);
  }

  @Test
  void aMissingTopicIsAnError() {
    assertThat(verify(TopicUse.events("missing")))
        .singleElement()
        .asString()
        .startsWith("ERROR missing: it does not exist: create it");
  }

  @Test
  void whatDoesNotFitEventsIsSaidInALineEach() throws Exception {
    create(
        "bad",
        1,
        Map.of(
            CLEANUP_POLICY_CONFIG,
            "compact,delete",
            RETENTION_MS_CONFIG,
            "60000",
            RETENTION_BYTES_CONFIG,
            "1000000",
            MIN_IN_SYNC_REPLICAS_CONFIG,
            "2"));

    List<Finding> findings = verify(TopicUse.events("bad").withMinPartitions(8));
    assertThat(findings)
        .extracting(Finding::toString)
        .anyMatch(l -> l.startsWith("WARNING bad: it has 1 partition(s)") && l.contains("8"))
        .anyMatch(l -> l.startsWith("ERROR bad: cleanup.policy=compact,delete"))
        .anyMatch(l -> l.startsWith("WARNING bad: retention.ms=60000"))
        .anyMatch(l -> l.startsWith("WARNING bad: retention.bytes"))
        .anyMatch(l -> l.startsWith("WARNING bad: it has one replica"))
        .anyMatch(l -> l.startsWith("ERROR bad: min.insync.replicas=2 is more than its 1"))
        .hasSize(6)
        .noneMatch(l -> l.contains("\n"));
  }

  @Test
  void deadLettersAreComparedWithTheirSource() throws Exception {
    String month = Long.toString(Duration.ofDays(30).toMillis());
    create("long", 2, Map.of(RETENTION_MS_CONFIG, month, MAX_MESSAGE_BYTES_CONFIG, "5000000"));
    create("long.dlq", 1, Map.of(RETENTION_MS_CONFIG, WEEKS));

    assertThat(verify(TopicUse.deadLetters("long.dlq", "long")))
        .extracting(Finding::message)
        .anyMatch(m -> m.startsWith("dead letters (retention.ms=1209600000) go before"))
        .anyMatch(m -> m.contains("raise it to 5008192"))
        .hasSize(3);
  }

  @Test
  void stateThatIsNotCompactedAndLettersThatAreIsAnError() throws Exception {
    create("plain", 1, Map.of());
    create("compact.dlq", 1, Map.of(CLEANUP_POLICY_CONFIG, "compact"));

    assertThat(verify(TopicUse.latestState("plain"), TopicUse.deadLetters("compact.dlq", "none")))
        .filteredOn(f -> f.severity() == Severity.ERROR)
        .extracting(Finding::topic)
        .containsExactly("plain", "compact.dlq");
  }

  @Test
  void anUnreachableBrokerIsAFindingForEachTopic() {
    try (Admin unreachable =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1"))) {
      assertThat(
              TopicConventions.verify(
                  unreachable, List.of(TopicUse.events("a")), Duration.ofMillis(500)))
          .singleElement()
          .asString()
          .isEqualTo(
              "ERROR a: it cannot be checked: no broker answered in time; check bootstrap.servers");
    }
  }

  @Test
  void eventsSurviveTheWayThroughARealBroker() throws Exception {
    create("wire", 1, Map.of());
    Event sent =
        Records.event()
            .key(new byte[] {(byte) 0xFF})
            .header("ce_My-Ext", "x")
            .nullHeader("null")
            .header("dup", "1")
            .header("dup", "2")
            .read();
    Event structured =
        Event.builder().source("/s").type("t").subject("ü").extension("n", 1).build();
    try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    broker.bootstrap(),
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      producer.send(EventWriter.binary().write("wire", sent)).get();
      producer.send(EventWriter.structured().write("wire", structured)).get();
      consumer.assign(List.of(new TopicPartition("wire", 0)));
      List<ConsumerRecord<byte[], byte[]>> records = TestBroker.poll(consumer, 2);

      Event received = EventReader.standard().read(records.get(0));
      assertThat(received).isEqualTo(sent);
      assertThat(records.get(0).key()).containsExactly(0xFF);
      assertThat(received.payload()).isNull();
      assertThat(Records.lines(received.foreignHeaders()))
          .isEqualTo(Records.lines(sent.foreignHeaders()));
      assertThat(EventReader.standard().read(records.get(1))).isEqualTo(structured);
    }
  }
}
