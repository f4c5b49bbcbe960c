package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.Redelivery;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scenarios that the toolkit is for. */
@EngineTest
class SeedScenariosIT {

  private final Scene scene;
  private final Ledger ledger;
  private final JdbcInbox inbox;

  SeedScenariosIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    ledger = Ledger.in(database.dataSource());
    inbox = JdbcInbox.on(ledger.dataSource());
    scene.afterClose(ledger::close);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void theSameEventDeliveredThreeTimesChargesOnce(GroupProtocol protocol) {
    String topic = scene.topic(3);
    Event event = Scene.note("order-1", "event-1");
    Redelivery.times(3).publish(scene.publisher(), topic, event);
    // and by another way, into another partition
    scene.publisher().send(Scene.record(topic, 0, Scene.note("other", "event-2")));
    for (int partition = 0; partition < 3; partition++) {
      scene.publisher().send(Scene.record(topic, partition, event));
    }
    EventConsumer consumer =
        scene.start(scene.consumer(protocol, ledger.billing(topic)).inbox(inbox));
    eventually().until(() -> consumer.counts().done() == 7);

    assertThat(ledger.rows("billing"))
        .containsExactlyInAnyOrderEntriesOf(Map.of("event-1", 1, "event-2", 1));
    assertThat(consumer.counts().applied()).isEqualTo(2);
    assertThat(consumer.counts().duplicates()).isEqualTo(5);
  }

  @Test
  void billingAndShippingEachProcessTheSameEventOnce() {
    String topic = scene.topic(2);
    Event event = Scene.note("order-1", "event-1");
    Redelivery.times(2).publish(scene.publisher(), topic, event);
    EventConsumer billing =
        scene.start(
            scene
                .consumer(GroupProtocol.CONSUMER, ledger.handler("billing", topic))
                .group(scene.group() + "-billing")
                .inbox(inbox));
    EventConsumer shipping =
        scene.start(
            scene
                .consumer(GroupProtocol.CONSUMER, ledger.handler("shipping", topic))
                .group(scene.group() + "-shipping")
                .inbox(inbox));
    eventually().until(() -> billing.counts().done() == 2 && shipping.counts().done() == 2);

    assertThat(ledger.rows("billing")).isEqualTo(Map.of("event-1", 1));
    assertThat(ledger.rows("shipping")).isEqualTo(Map.of("event-1", 1));
  }

  @Test
  void anOlderVersionNeverOverwritesANewerOne() {
    String topic = scene.topic(1);
    for (long version : List.of(1L, 3L, 2L, 3L)) {
      Event event =
          Scene.note("order-1", "version-" + version + "-" + System.nanoTime(), "v" + version)
              .toBuilder()
              .entityVersion(version)
              .build();
      scene.publisher().publish(topic, event);
    }
    List<String> applied = new CopyOnWriteArrayList<>();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    LambdaHandlers.of("state", topic)
                        .on(
                            Scene.NOTED,
                            Note.class,
                            (Note note, Delivery delivery, Connection tx) -> {
                              ledger.set(tx, "order-1", note.text());
                              applied.add(note.text());
                            },
                            Guarantee.VERSION_GUARD))
                .inbox(inbox));
    eventually().until(() -> consumer.counts().done() == 4);

    assertThat(ledger.state("order-1")).isEqualTo("v3");
    assertThat(applied).containsExactly("v1", "v3");
    assertThat(consumer.counts().stale()).isEqualTo(2);
  }

  @Test
  void aHandlerThatThrowsAfterWritingLeavesNoWriteAndNoDedupeRow() {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, Scene.note("order-1", "event-1"));
    Gate retry = new Gate();
    scene.beforeClose(retry::open);
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    LambdaHandlers.of("billing", topic)
                        .on(
                            Scene.NOTED,
                            Note.class,
                            (Note note, Delivery delivery, Connection tx) -> {
                              ledger.add(tx, "billing", delivery.event().getId());
                              attempts.add(delivery.attempt());
                              if (delivery.attempt() == 1) {
                                throw new IOException("after the write");
                              }
                            },
                            Guarantee.IDEMPOTENT))
                .interceptor(
                    chain -> {
                      if (chain.delivery().attempt() > 1) {
                        retry.await();
                      }
                      return chain.proceed(chain.delivery());
                    })
                .inbox(inbox));
    // the retry has begun, so the first transaction is over
    eventually().until(() -> consumer.counts().retries() == 1);
    assertThat(ledger.rows("billing")).isEmpty();
    assertThat(ledger.dedupeRows("billing")).isZero();
    assertThat(scene.committed(topic, 0)).isLessThanOrEqualTo(0);

    retry.open();
    eventually().until(() -> consumer.counts().applied() == 1);
    assertThat(ledger.rows("billing")).isEqualTo(Map.of("event-1", 1));
    assertThat(ledger.dedupeRows("billing")).isEqualTo(1);
    assertThat(attempts).containsExactly(1, 2);
  }
}
