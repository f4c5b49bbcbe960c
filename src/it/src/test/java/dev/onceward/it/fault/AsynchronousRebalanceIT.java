package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous handlers whose stages are open while the group moves. */
// spring-kafka #4687: with acknowledgements under way a rebalance stopped the partitions that
// stayed, for ever and in silence; smallrye #1403: no commit after a rebalance
@EngineTest
class AsynchronousRebalanceIT {

  private static final int RECORDS = 20;

  private final Scene scene;

  AsynchronousRebalanceIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void whatStaysGoesOnOnceTheStagesAreDone(GroupProtocol protocol) {
    String topic = "it.async." + protocol.name().toLowerCase(java.util.Locale.ROOT) + ".events";
    scene.kafka().createTopic(topic, 2);
    eventually().ignoreExceptions().until(() -> scene.kafka().endOffsets(topic).size() == 2);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    scene.publishNotes(topic, 1, RECORDS, RECORDS);
    Open first = Open.of(protocol);
    EventConsumer owner = start(protocol, first);
    eventually().until(() -> first.stages.size() == 2 * RECORDS);
    Open second = Open.of(protocol);
    second.completeAll();
    EventConsumer joiner = start(protocol, second);
    scene.awaitMembers(2);
    eventually().until(() -> owner.health().assignedPartitions() == 1);
    eventually().until(() -> joiner.counts().applied() == RECORDS);
    first.completeAll();

    eventually().until(() -> scene.committedInAll() == 2 * RECORDS);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    scene.publishNotes(topic, 1, RECORDS, RECORDS);
    eventually().until(() -> scene.committedInAll() == 4 * RECORDS);
    TopicPartition moved = second.partitions.iterator().next();
    assertThat(second.partitions).containsExactly(moved);
    assertThat(owner.health().failure()).isEmpty();
    assertThat(joiner.counts().applied()).isEqualTo(2 * RECORDS);
    if (protocol != GroupProtocol.EAGER) {
      // what stayed was neither cancelled nor delivered again; eager takes all away for a moment
      assertThat(first.deliveriesOf(1 - moved.partition())).isEqualTo(2 * RECORDS);
    }
    eventually().until(() -> owner.health().problems().isEmpty());
  }

  private EventConsumer start(GroupProtocol protocol, Open handlers) {
    return scene.start(
        scene
            .consumer(new HashMap<>(scene.properties(protocol)), handlers)
            .concurrency(4 * RECORDS)
            .drainBudget(Duration.ofMillis(300)));
  }

  /** Stages that the test completes. */
  static class Open {
    final Queue<CompletableFuture<Void>> stages = new ConcurrentLinkedQueue<>();
    final Set<TopicPartition> partitions = ConcurrentHashMap.newKeySet();
    final Queue<Integer> deliveries = new ConcurrentLinkedQueue<>();
    private volatile boolean atOnce;

    /** Handlers name their topics in an annotation. */
    static Open of(GroupProtocol protocol) {
      return switch (protocol) {
        case EAGER -> new OpenEager();
        case COOPERATIVE -> new OpenCooperative();
        case CONSUMER -> new OpenConsumer();
      };
    }

    CompletionStage<Void> take(Delivery delivery) {
      partitions.add(new TopicPartition(delivery.topic(), delivery.partition()));
      deliveries.add(delivery.partition());
      CompletableFuture<Void> stage = new CompletableFuture<>();
      stages.add(stage);
      if (atOnce) {
        stage.complete(null);
      }
      return stage;
    }

    void completeAll() {
      atOnce = true;
      stages.forEach(stage -> stage.complete(null));
    }

    long deliveriesOf(int partition) {
      return deliveries.stream().filter(p -> p == partition).count();
    }
  }

  @EventHandlers(id = "open", topics = "it.async.eager.events")
  static final class OpenEager extends Open {
    @Handles(Scene.NOTED)
    CompletionStage<Void> noted(Note note, Delivery delivery) {
      return take(delivery);
    }
  }

  @EventHandlers(id = "open", topics = "it.async.cooperative.events")
  static final class OpenCooperative extends Open {
    @Handles(Scene.NOTED)
    CompletionStage<Void> noted(Note note, Delivery delivery) {
      return take(delivery);
    }
  }

  @EventHandlers(id = "open", topics = "it.async.consumer.events")
  static final class OpenConsumer extends Open {
    @Handles(Scene.NOTED)
    CompletionStage<Void> noted(Note note, Delivery delivery) {
      return take(delivery);
    }
  }
}
