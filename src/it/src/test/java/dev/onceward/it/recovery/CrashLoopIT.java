package dev.onceward.it.recovery;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.LedgerApp;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A record that takes its process down each time it is handled. */
@EngineTest
class CrashLoopIT {

  private static final int EVENTS = 120;
  private static final int SESSION_MILLIS = 3_000;

  /** In the midst of its partition, and with a record of its key behind it. */
  private static final String KILLER = "1-17";

  /** One death in the midst of others, then as many alone as the policy allows. */
  private static final int MOST_DEATHS = 5;

  private static final int EXIT_OUT_OF_MEMORY = 3;

  private final Scene scene;
  private final TestDatabase database;
  private final Ledger ledger;

  CrashLoopIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    this.database = database;
    ledger = Ledger.in(database.dataSource());
    scene.afterClose(ledger::close);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @CsvSource({"EAGER, haltIn", "EAGER, exitIn", "COOPERATIVE, exhaustIn", "CONSUMER, haltIn"})
  void aRecordThatKillsTheProcessIsDeadLetteredAndAllElseIsHandled(
      GroupProtocol protocol, String how) throws Exception {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, EVENTS / 2, 20);
    scene.publishNotes(topic, 1, EVENTS / 2, 20);
    shortenSession(protocol);
    Properties configuration = configuration(protocol, topic);
    configuration.put(how, KILLER);
    int deaths = 0;
    boolean through = false;
    while (!through) {
      try (ChildApp app = ChildApp.start(configuration)) {
        eventually().until(() -> !app.isAlive() || scene.committedInAll() == EVENTS);
        if (app.isAlive()) {
          through = true;
          app.signal("TERM");
          app.awaitExit();
        } else {
          int status = app.awaitExit();
          assertThat(status)
              .as(app.log())
              .isEqualTo(how.equals("exhaustIn") ? EXIT_OUT_OF_MEMORY : LedgerApp.HALTED);
          deaths++;
          assertThat(deaths).as("deaths").isLessThanOrEqualTo(MOST_DEATHS);
        }
      }
    }

    assertThat(deaths).isBetween(3, MOST_DEATHS);
    assertThat(ledger.rows("billing")).isEqualTo(allButTheKiller());
    List<ConsumerRecord<byte[], byte[]>> letters =
        scene.collector().awaitCount(scene.deadLetters(topic), 1);
    assertThat(letters).hasSize(1);
    assertThat(DeadLetter.header(letters.get(0), "dlq_reason")).isEqualTo("CONSUMER_CRASH");
    assertThat(DeadLetter.header(letters.get(0), "ce_id")).isEqualTo(KILLER);
  }

  private static Map<String, Integer> allButTheKiller() {
    return IntStream.range(0, EVENTS)
        .mapToObj(i -> i % 2 + "-" + i / 2)
        .filter(id -> !id.equals(KILLER))
        .collect(Collectors.toMap(id -> id, id -> 1));
  }

  /** How long the group waits for a member that has died. */
  private void shortenSession(GroupProtocol protocol) throws Exception {
    if (protocol.isClassic()) {
      return;
    }
    scene
        .admin()
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.GROUP, scene.group()),
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry(
                            "consumer.session.timeout.ms", Integer.toString(SESSION_MILLIS)),
                        OpType.SET))))
        .all()
        .get();
  }

  private Properties configuration(GroupProtocol protocol, String topic) {
    Map<String, Object> kafka = new HashMap<>(scene.properties(protocol));
    if (protocol.isClassic()) {
      kafka.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MILLIS);
      // it takes its place again at once
      kafka.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, "the-only-one");
    }
    Properties configuration = new Properties();
    kafka.forEach((name, value) -> configuration.put("kafka." + name, value.toString()));
    configuration.put("group", scene.group());
    configuration.put("topic", topic);
    configuration.put("database.url", database.jdbcUrl());
    configuration.put("database.user", database.user());
    configuration.put("database.password", database.password());
    configuration.put("database.schema", ledger.schema());
    configuration.put("handlerMillis", "5");
    configuration.put("commitMillis", "200");
    // an exit waits for the handler that called it, which waits for the exit
    configuration.put("drainMillis", "300");
    return configuration;
  }
}
