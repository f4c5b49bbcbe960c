package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Partitions that are paused while the group moves. */
// measured with kafka-clients 4.4: an eager rebalance loses the pause even of partitions that stay;
// spring-kafka #813, #2222, #2525, #2581, #4687
@EngineTest
class PausedPartitionIT {

  private static final int RECORDS = 300;
  private static final int BOUND = 60;
  private static final int POLL_RECORDS = 10;

  private final Scene scene;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();
  private final AtomicBoolean ended = new AtomicBoolean();

  PausedPartitionIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
    scene.beforeClose(gate::open);
    scene.beforeClose(() -> ended.set(true));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void noMoreThanTheBoundIsTakenInOverARebalanceAndAllGoesOnAfterIt(GroupProtocol protocol) {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    scene.publishNotes(topic, 1, RECORDS, RECORDS);
    EventConsumer first = start(protocol, topic, "first");
    eventually().until(() -> first.health().inFlight() >= BOUND / 2);
    AtomicLong most = new AtomicLong();
    CompletableFuture<Void> watch = Scene.inBackground(() -> watch(first, most));
    EventConsumer second = start(protocol, topic, "second");
    scene.awaitMembers(2);
    eventually().until(() -> second.health().inFlight() >= POLL_RECORDS);
    second.close();
    eventually().until(() -> first.health().assignedPartitions() == 2);
    eventually().until(() -> first.health().inFlight() >= BOUND / 2);
    eventually()
        .pollDelay(Duration.ofMillis(300))
        .until(() -> first.health().sinceLastPoll().toMillis() < 1_000);
    ended.set(true);
    watch.join();
    assertThat(most.get()).isPositive().isLessThanOrEqualTo(BOUND + POLL_RECORDS);
    gate.open();

    eventually().until(() -> scene.committedInAll() == 2 * RECORDS);
    assertThat(journal.succeeded()).isEqualTo(2 * RECORDS);
    assertThat(first.health().failure()).isEmpty();
    eventually().until(() -> first.health().problems().isEmpty());
  }

  private void watch(EventConsumer consumer, AtomicLong most) {
    eventually()
        .pollInterval(Duration.ofMillis(2))
        .until(
            () -> {
              most.accumulateAndGet(consumer.health().inFlight(), Math::max);
              return ended.get();
            });
  }

  private EventConsumer start(GroupProtocol protocol, String topic, String member) {
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_RECORDS);
    return scene.start(
        scene
            .consumer(
                properties,
                Scene.notes(topic, journal.of(member, (note, delivery) -> gate.await())))
            .maxInFlightRecords(BOUND)
            .concurrency(8)
            .drainBudget(Duration.ofMillis(200)));
  }
}
