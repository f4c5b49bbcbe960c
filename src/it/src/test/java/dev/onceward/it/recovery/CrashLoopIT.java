package dev.onceward.it.recovery;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.LedgerApp;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
  private static final int MOST_DEATHS = 6;

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
    scene.shortenSession(protocol, SESSION_MILLIS);
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

    assertThat(deaths).isBetween(4, MOST_DEATHS);
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

  private Properties configuration(GroupProtocol protocol, String topic) {
    Properties configuration =
        AppConfiguration.ofLedgerApp(scene, protocol, SESSION_MILLIS, topic, database, ledger);
    if (protocol.isClassic()) {
      // it takes its place again at once
      configuration.put("kafka." + ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, "the-only-one");
    }
    configuration.put("handlerMillis", "5");
    configuration.put("commitMillis", "200");
    // an exit waits for the handler that called it, which waits for the exit
    configuration.put("drainMillis", "300");
    return configuration;
  }
}
