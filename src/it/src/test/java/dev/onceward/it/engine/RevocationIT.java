package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What a partition that moves has to wait for, and what does not wait for it. */
@EngineTest
class RevocationIT {

  private static final int RECORDS = 100;

  private final Scene scene;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();
  private final Gate secondGate = new Gate();

  RevocationIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
    scene.beforeClose(gate::open);
    scene.beforeClose(secondGate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  /** Of the eager protocol it is not true: there, all partitions are revoked. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "EAGER")
  void onlyRevokedPartitionsWait(GroupProtocol protocol) {
    String topic = scene.topic(2);
    for (int partition = 0; partition < 2; partition++) {
      scene.publishNotes(topic, partition, 1, RECORDS);
    }
    // the head of each partition is held; what follows goes through two at a time, slowly enough
    // for the other member to join meanwhile
    Gate joined = new Gate();
    scene.beforeClose(joined::open);
    EventConsumer owner =
        scene.start(
            scene
                .consumer(
                    protocol,
                    Scene.notes(
                        topic,
                        journal.of(
                            "owner",
                            (note, delivery) -> {
                              if (delivery.offset() == 0) {
                                gate.await();
                              } else if (delivery.offset() > 4) {
                                joined.await();
                              }
                            })))
                .concurrency(4)
                .drainBudget(Duration.ofSeconds(100)));
    // both heads first: those of one partition must not take all places, or the other one could go
    // at once
    eventually().until(() -> journal.running() == 2);
    for (int partition = 0; partition < 2; partition++) {
      scene.publishNotes(topic, partition, 1, RECORDS, RECORDS);
    }
    // two that wait for the joiner
    eventually().until(() -> journal.running() == 4);
    EventConsumer joiner =
        scene.start(
            scene.consumer(
                protocol, Scene.notes(topic, journal.of("joiner", (note, delivery) -> {}))));
    // it polls at least each 100 ms, unless it waits for a revoked partition
    eventually().until(() -> owner.health().sinceLastPoll().compareTo(Duration.ofSeconds(2)) > 0);
    joined.open();

    eventually().until(() -> ended("owner", 0) == RECORDS - 1 || ended("owner", 1) == RECORDS - 1);
    int kept = ended("owner", 0) == RECORDS - 1 ? 0 : 1;
    assertThat(ended("owner", 1 - kept)).as("the one that goes").isLessThan(RECORDS - 1);
    assertThat(journal.begun()).noneMatch(run -> run.member().equals("joiner"));
    assertThat(owner.health().sinceLastPoll()).isGreaterThan(Duration.ofSeconds(1));

    gate.open();
    eventually().until(() -> journal.succeeded() == 2 * RECORDS);
    eventually().until(() -> scene.committedInAll() == 2 * RECORDS);
    journal.assertEachHandledOnce(2 * RECORDS);
    journal.assertOwnersDoNotOverlap();
    assertThat(joiner.counts().applied()).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void aStuckHandlerHoldsAJoinerNoLongerThanTheDrainBudgetAndEndsWithoutEffect(
      GroupProtocol protocol) {
    String topic = scene.topic(2);
    for (int partition = 0; partition < 2; partition++) {
      scene.publishNotes(topic, partition, 8, 8);
    }
    Set<String> stuck = ConcurrentHashMap.newKeySet();
    EventConsumer owner =
        scene.start(
            scene
                .consumer(
                    protocol,
                    Scene.notes(
                        topic,
                        journal.of(
                            "owner",
                            (note, delivery) -> {
                              if (stuck.add(note.text())) {
                                gate.awaitStubbornly();
                              }
                            })))
                // half of the records wait behind those that are stuck
                .concurrency(8)
                .drainBudget(Duration.ofMillis(500)));
    eventually().until(() -> journal.running() == 8);
    // its own handlers wait: what the former owner says too late must not pass for their work
    scene.start(
        scene.consumer(
            protocol,
            Scene.notes(topic, journal.of("joiner", (note, delivery) -> secondGate.await()))));
    eventually().until(() -> begun("joiner").size() == 8);
    int moved = begun("joiner").get(0).partition().partition();
    long since = begun("joiner").get(0).begin();

    gate.open();
    eventually().until(() -> scene.committed(topic, 1 - moved) == 8);
    await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(60))
        .until(() -> scene.committed(topic, moved) <= 0);
    assertThat(begun("owner"))
        .filteredOn(run -> run.partition().partition() == moved)
        .as("what the former owner began after the partition had gone")
        .noneMatch(run -> run.begin() > since);
    secondGate.open();
    eventually().until(() -> scene.committed(topic, moved) == 8);
    assertThat(owner.health().failure()).isEmpty();
    assertThat(owner.counts().deadLettered()).isZero();
  }

  private List<Journal.Run> begun(String member) {
    return journal.begun().stream().filter(run -> run.member().equals(member)).toList();
  }

  private int ended(String member, int partition) {
    return (int)
        journal.runs().stream()
            .filter(run -> run.member().equals(member))
            .filter(run -> run.partition().partition() == partition)
            .count();
  }
}
