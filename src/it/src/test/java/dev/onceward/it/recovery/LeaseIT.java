package dev.onceward.it.recovery;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.LambdaHandlers.Handler;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that take longer than they may, and what does not wait for them. */
@EngineTest
class LeaseIT {

  private static final Duration SHORT = Duration.ofMillis(300);

  private final Scene scene;
  private final TestDatabase database;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();

  LeaseIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    this.database = database;
    scene.beforeClose(gate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void anExpiredLeaseInterruptsTheHandlerAndTheEventIsRetried() {
    String topic =
        topicWith(Scene.note("a", "slow"), Scene.note("a", "next"), Scene.note("b", "x"));
    CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
    EventConsumer consumer =
        start(
            topic,
            OnExpiry.RETRY,
            (note, delivery) -> {
              if (note.text().equals("slow") && delivery.attempt() == 1) {
                delivery.lease().lost().thenAccept(loss::complete);
                gate.await();
              }
            });
    eventually().until(() -> scene.committed(topic, 0) == 3);

    assertThat(loss).isCompletedWithValue(LeaseLoss.EXPIRED);
    assertThat(consumer.counts().applied()).isEqualTo(3);
    assertThat(consumer.counts().retries()).isEqualTo(1);
    journal.assertOrderWithinKeys();
  }

  @Test
  void aHandlerThatExtendsItsLeaseIsLeftAlone() {
    String topic = topicWith(Scene.note("a", "long"));
    EventConsumer consumer =
        start(
            topic,
            OnExpiry.RETRY,
            (note, delivery) -> {
              for (int step = 0; step < 10; step++) {
                delivery.lease().extend(Duration.ofSeconds(30));
                Thread.sleep(100);
              }
            });
    eventually().until(() -> scene.committed(topic, 0) == 1);
    assertThat(journal.runs()).hasSize(1);
    assertThat(consumer.counts().retries()).isZero();
  }

  @Test
  void anExpiredLeaseCanDeadLetterTheEvent() {
    String topic = topicWith(Scene.note("a", "slow"), Scene.note("a", "next"));
    EventConsumer consumer =
        start(
            topic,
            OnExpiry.DEAD_LETTER,
            (note, delivery) -> {
              if (note.text().equals("slow")) {
                gate.await();
              }
            });
    eventually().until(() -> scene.committed(topic, 0) == 2);

    assertThat(consumer.counts().applied()).isEqualTo(1);
    ConsumerRecord<byte[], byte[]> letter =
        scene.collector().awaitCount(scene.deadLetters(topic), 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("LEASE_EXPIRED");
  }

  @Test
  void aDeafHandlerHoldsItsKeyAndNeitherTheCommitsNorTheOtherKeys() {
    String topic =
        topicWith(Scene.note("a", "deaf"), Scene.note("a", "next"), Scene.note("b", "x"));
    EventConsumer consumer =
        start(
            topic,
            OnExpiry.DEAD_LETTER,
            (note, delivery) -> {
              if (note.text().equals("deaf")) {
                gate.awaitStubbornly();
              }
            });
    // the dead letter does not wait for a handler that does not end; what follows it does
    eventually().until(() -> consumer.counts().deadLettered() == 1);
    eventually().until(() -> scene.committed(topic, 0) == 1);
    assertThat(journal.begun()).extracting(Journal.Run::offset).containsExactlyInAnyOrder(0L, 2L);
    assertThat(consumer.health().problems()).anyMatch(problem -> problem.contains("deaf"));

    gate.open();
    eventually().until(() -> scene.committed(topic, 0) == 3);
    assertThat(consumer.counts().applied()).isEqualTo(2);
    assertThat(consumer.counts().deadLettered()).isEqualTo(1);
    journal.assertOrderWithinKeys();
    eventually().until(() -> consumer.health().problems().isEmpty());
  }

  @Test
  void aLeaseThatIsKeptIsReportedAndNotLost() {
    String topic = topicWith(Scene.note("a", "slow"));
    EventConsumer consumer = start(topic, OnExpiry.KEEP, (note, delivery) -> gate.await());
    eventually()
        .until(() -> consumer.health().problems().stream().anyMatch(p -> p.contains("lease of")));
    gate.open();
    eventually().until(() -> scene.committed(topic, 0) == 1);
    assertThat(journal.runs()).hasSize(1).noneMatch(Journal.Run::failed);
    eventually().until(() -> consumer.health().problems().isEmpty());
  }

  @Test
  void theInboxRefusesToCommitWhatIsDoneAfterTheLoss() {
    String topic = topicWith(Scene.note("a", "slow"));
    Ledger ledger = Ledger.in(database.dataSource());
    scene.afterClose(ledger::close);
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    LambdaHandlers handlers =
        LambdaHandlers.of("billing", topic)
            .on(
                Scene.NOTED,
                Note.class,
                (note, delivery, tx) -> {
                  attempts.add(delivery.attempt());
                  ledger.add(tx, "billing", delivery.event().getId());
                  if (delivery.attempt() == 1) {
                    while (!delivery.lease().isLost()) {
                      Thread.onSpinWait();
                    }
                  }
                },
                Guarantee.IDEMPOTENT);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(GroupProtocol.EAGER, handlers)
                .inbox(JdbcInbox.on(ledger.dataSource()))
                // long enough for the second try on a busy machine
                .lease(LeasePolicy.builder().maximum(Duration.ofSeconds(3)).build()));
    eventually().until(() -> scene.committed(topic, 0) == 1);

    assertThat(attempts).containsExactly(1, 2);
    assertThat(ledger.rows("billing")).isEqualTo(Map.of("slow", 1));
    assertThat(consumer.counts().applied()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionThatGoesTakesTheLeaseAway(GroupProtocol protocol) {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, 1, 1);
    scene.publishNotes(topic, 1, 1, 1);
    List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
    scene.start(
        scene
            .consumer(
                protocol,
                Scene.notes(
                    topic,
                    (note, delivery) -> {
                      delivery.lease().lost().thenAccept(losses::add);
                      gate.await();
                    }))
            .drainBudget(SHORT));
    scene.awaitMembers(1);
    EventConsumer joiner = scene.start(scene.consumer(protocol, Scene.notes(topic, (n, d) -> {})));
    eventually().until(() -> joiner.counts().applied() == 1);
    eventually().until(() -> !losses.isEmpty());
    assertThat(losses).containsOnly(LeaseLoss.REVOKED);
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionThatComesBackWaitsForTheDeafHandlerOfItsKey(GroupProtocol protocol) {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, 2, 2);
    scene.publishNotes(topic, 1, 2, 2);
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
                                gate.awaitStubbornly();
                              }
                            })))
                .concurrency(8)
                .drainBudget(SHORT));
    eventually().until(() -> journal.succeeded() == 2 && journal.running() == 2);
    Gate leaving = new Gate();
    scene.beforeClose(leaving::open);
    EventConsumer joiner =
        scene.start(
            scene
                .consumer(protocol, Scene.notes(topic, (note, delivery) -> leaving.await()))
                .drainBudget(SHORT));
    eventually().until(() -> joiner.health().inFlight() == 1);
    joiner.close();
    eventually().until(() -> owner.health().assignedPartitions() == 2);
    eventually().until(() -> owner.health().inFlight() >= 2);
    assertThat(journal.running()).isEqualTo(2);

    gate.open();
    eventually().until(() -> scene.committedInAll() == 4);
    assertThat(journal.byPlace().values())
        .as("what went and came back was handled again, once its handler had returned")
        .filteredOn(runs -> runs.size() > 1)
        .isNotEmpty()
        .allSatisfy(runs -> assertThat(runs.get(1).begin()).isGreaterThan(runs.get(0).end()));
  }

  @Test
  void aStopDoesNotWaitForADeafHandlerBeyondItsBudget() {
    String topic = topicWith(Scene.note("a", "deaf"));
    EventConsumer consumer =
        start(topic, OnExpiry.RETRY, (note, delivery) -> gate.awaitStubbornly());
    eventually().until(() -> journal.running() == 1);
    consumer.stop();
    eventually().until(() -> !consumer.health().live());
    assertThat(journal.running()).isEqualTo(1);
  }

  private String topicWith(dev.onceward.envelope.Event... events) {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, List.of(events));
    return topic;
  }

  private EventConsumer start(String topic, OnExpiry onExpiry, Handler<Note> handler) {
    return scene.start(
        scene
            .consumer(GroupProtocol.COOPERATIVE, Scene.notes(topic, journal.of("only", handler)))
            .lease(policy(onExpiry))
            .drainBudget(SHORT));
  }

  private static LeasePolicy policy(OnExpiry onExpiry) {
    return LeasePolicy.builder().maximum(SHORT).onExpiry(onExpiry).build();
  }
}
