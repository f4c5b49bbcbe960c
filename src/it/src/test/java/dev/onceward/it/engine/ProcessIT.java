package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.LedgerApp;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A consumer process that crashes, is told to end, or is paused so long that it is replaced. */
@EngineTest
class ProcessIT {

  private static final int EVENTS = 120;
  private static final int SESSION_MILLIS = 3_000;
  private static final long NEVER_MILLIS = 3_600_000;

  private final Scene scene;
  private final TestDatabase database;
  private final Ledger ledger;

  ProcessIT(KafkaServer kafka, TestDatabase database) {
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
  @EnumSource
  void aCrashAfterTheCommitAndBeforeTheAcknowledgementDoublesNothing(GroupProtocol protocol)
      throws Exception {
    String topic = topicWithEvents(protocol);
    try (ChildApp app = ChildApp.start(configuration(protocol, topic, NEVER_MILLIS, "1-17"))) {
      assertThat(app.awaitExit()).as(app.log()).isEqualTo(LedgerApp.HALTED);
    }
    int before = ledger.rows("billing").size();
    assertThat(ledger.rows("billing")).containsEntry("1-17", 1);
    assertThat(scene.committedInAll()).isZero();

    EventConsumer next =
        scene.start(
            scene
                .consumer(protocol, ledger.billing(topic))
                .inbox(JdbcInbox.on(ledger.dataSource())));
    eventually().until(() -> scene.committedInAll() == EVENTS);

    assertThat(ledger.rows("billing")).isEqualTo(eachOnce());
    assertThat(next.counts().duplicates()).isEqualTo(before);
    assertThat(next.counts().applied()).isEqualTo(EVENTS - before);
  }

  @ParameterizedTest
  @EnumSource
  void onSigtermItDrainsAndCommits(GroupProtocol protocol) throws Exception {
    String topic = topicWithEvents(protocol);
    try (ChildApp app = ChildApp.start(configuration(protocol, topic, NEVER_MILLIS, null))) {
      eventually().until(() -> ledger.rows("billing").size() >= 10 || !app.isAlive());
      app.signal("TERM");
      assertThat(app.awaitExit()).as(app.log()).isEqualTo(128 + 15);
    }
    Map<String, Integer> rows = ledger.rows("billing");

    assertThat(rows).hasSizeBetween(10, EVENTS - 1).allSatisfy((id, n) -> assertThat(n).isOne());
    EventConsumer next =
        scene.start(
            scene
                .consumer(protocol, ledger.billing(topic))
                .inbox(JdbcInbox.on(ledger.dataSource())));
    eventually().until(() -> scene.committedInAll() == EVENTS);
    assertThat(next.counts().applied()).isEqualTo(EVENTS - rows.size());
    assertThat(next.counts().duplicates()).isZero();
    assertThat(ledger.rows("billing")).isEqualTo(eachOnce());
  }

  @ParameterizedTest
  @EnumSource
  void aPausedProcessThatWasReplacedChangesNothingAndComesBack(GroupProtocol protocol)
      throws Exception {
    String topic = topicWithEvents(protocol);
    try (ChildApp app = ChildApp.start(configuration(protocol, topic, 100, null))) {
      eventually().until(() -> ledger.rows("billing").size() >= 10 || !app.isAlive());
      app.signal("STOP");
      EventConsumer next =
          scene.start(
              scene
                  .consumer(protocol, ledger.billing(topic))
                  .inbox(JdbcInbox.on(ledger.dataSource())));
      eventually().until(() -> next.health().assignedPartitions() == 2);
      app.signal("CONT");
      scene.awaitMembers(2);
      eventually().until(() -> scene.committedInAll() == EVENTS);
      assertThat(ledger.rows("billing")).isEqualTo(eachOnce());

      scene.publishNotes(topic, 0, 1, 1);
      scene.publishNotes(topic, 1, 1, 1);
      eventually().until(() -> scene.committedInAll() == EVENTS + 2);
      assertThat(ledger.rows("billing")).as("the same ids again").isEqualTo(eachOnce());
      app.signal("TERM");
      assertThat(app.awaitExit()).as(app.log()).isEqualTo(128 + 15);
      assertThat(next.health().failure()).isEmpty();
    }
  }

  private static Map<String, Integer> eachOnce() {
    return IntStream.range(0, EVENTS)
        .boxed()
        .collect(Collectors.toMap(i -> i % 2 + "-" + i / 2, i -> 1));
  }

  private String topicWithEvents(GroupProtocol protocol) {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, EVENTS / 2, 20);
    scene.publishNotes(topic, 1, EVENTS / 2, 20);
    scene.shortenSession(protocol, SESSION_MILLIS);
    return topic;
  }

  private Properties configuration(
      GroupProtocol protocol, String topic, long commitMillis, @Nullable String haltAfter) {
    Properties configuration =
        AppConfiguration.ofLedgerApp(scene, protocol, SESSION_MILLIS, topic, database, ledger);
    configuration.put("handlerMillis", "100");
    configuration.put("commitMillis", Long.toString(commitMillis));
    if (haltAfter != null) {
      configuration.put("haltAfter", haltAfter);
    }
    return configuration;
  }
}
