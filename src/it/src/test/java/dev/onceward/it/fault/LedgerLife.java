package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A consumer whose effects are rows in a database, and a publisher that goes on publishing while
 * whatever breaks is broken.
 */
final class LedgerLife implements AutoCloseable {

  private static final int PARTITIONS = 2;
  private static final int BATCH = 4;

  private final Scene scene;
  private final Ledger ledger;
  private final String topic;
  private final EventConsumer consumer;
  private final AtomicInteger published = new AtomicInteger();
  private final AtomicBoolean enough = new AtomicBoolean();
  private final CompletableFuture<Void> load;

  LedgerLife(KafkaServer kafka, DataSource database, GroupProtocol protocol) {
    scene = Scene.on(kafka);
    ledger = Ledger.in(database);
    topic = scene.topic(PARTITIONS);
    consumer =
        scene.start(
            scene
                .consumer(protocol, ledger.billing(topic))
                .inbox(JdbcInbox.on(ledger.dataSource()))
                .concurrency(4));
    load = Scene.inBackground(this::publish);
  }

  private void publish() {
    while (!enough.get()) {
      if (published.get() - applied() > 100) {
        eventually().until(() -> enough.get() || published.get() - applied() < 50);
        continue;
      }
      List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
      int next = published.get();
      for (int i = next; i < next + BATCH; i++) {
        batch.add(Scene.record(topic, i % PARTITIONS, Scene.note("key-" + i % 20, "event-" + i)));
      }
      scene.publisher().sendAll(batch);
      published.addAndGet(BATCH);
    }
  }

  private long applied() {
    return consumer.counts().applied();
  }

  EventConsumer consumer() {
    return consumer;
  }

  /** Waits until so many more events have taken effect. */
  void awaitMore(int events) {
    long before = applied();
    eventually().until(() -> load.isDone() || applied() >= before + events);
    assertThat(load).as("the publisher").isNotDone();
  }

  /** Everything that was published has taken effect, once, and the consumer says it is well. */
  void assertEachTookEffectOnce() {
    awaitMore(10 * BATCH);
    enough.set(true);
    load.join();
    eventually().until(() -> scene.committedInAll() == published.get());
    Map<String, Integer> expected =
        IntStream.range(0, published.get())
            .boxed()
            .collect(Collectors.toMap(i -> "event-" + i, i -> 1));
    assertThat(ledger.rows("billing")).isEqualTo(expected);
    assertThat(applied()).isEqualTo(published.get());
    assertThat(consumer.counts().deadLettered()).isZero();
    eventually().until(() -> consumer.health().problems().isEmpty());
    assertThat(consumer.health().state()).isEqualTo(State.RUNNING);
    assertThat(consumer.health().ready()).isTrue();
    assertThat(consumer.health().failure()).isEmpty();
  }

  @Override
  public void close() {
    enough.set(true);
    scene.close();
    ledger.close();
  }
}
