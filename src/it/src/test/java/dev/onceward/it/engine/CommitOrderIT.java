package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is committed while handlers finish in any order. */
@EngineTest
class CommitOrderIT {

  private static final int RECORDS = 30;

  private final Scene scene;
  private final List<Gate> gates =
      Collections.nCopies(RECORDS, 0).stream().map(i -> new Gate()).toList();
  private final Set<Integer> finished = ConcurrentHashMap.newKeySet();

  CommitOrderIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    gates.forEach(Gate::open);
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void neverPassesARecordThatIsNotDone(GroupProtocol protocol) {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    protocol,
                    Scene.notes(
                        topic,
                        (note, delivery) -> {
                          int offset = (int) delivery.offset();
                          gates.get(offset).await();
                          finished.add(offset);
                        }))
                .concurrency(RECORDS)
                .commitInterval(Duration.ofMillis(20)));
    eventually().until(() -> consumer.health().inFlight() == RECORDS);

    List<Integer> order = new ArrayList<>(IntStream.range(1, RECORDS).boxed().toList());
    Collections.shuffle(order, new Random(7));
    List<Integer> late = order.subList(0, 3);
    for (int offset : order.subList(3, order.size())) {
      gates.get(offset).open();
      assertCommittedIsBehind(topic);
    }
    eventually().until(() -> consumer.counts().applied() == RECORDS - 1 - late.size());
    // the head is not done: however often the interval passes, nothing is committed
    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(60))
        .until(() -> scene.committed(topic, 0) <= 0);

    gates.get(0).open();
    int head = Collections.min(late);
    eventually().until(() -> scene.committed(topic, 0) == head);
    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(60))
        .until(() -> scene.committed(topic, 0) == head);

    for (int offset : late) {
      gates.get(offset).open();
      assertCommittedIsBehind(topic);
    }
    eventually().until(() -> scene.committed(topic, 0) == RECORDS);
    assertThat(consumer.counts().applied()).isEqualTo(RECORDS);
  }

  private void assertCommittedIsBehind(String topic) {
    // read first: what is finished only grows
    long committed = scene.committed(topic, 0);
    int head = 0;
    while (finished.contains(head)) {
      head++;
    }
    assertThat(committed).as("committed, with offset %d not done", head).isLessThanOrEqualTo(head);
  }
}
