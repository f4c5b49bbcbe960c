package dev.onceward.it.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.producer.EventPublisher;
import dev.onceward.producer.Published;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestTopics;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads on one publisher. */
@OncewardTest
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PublisherOrderIT {

  private static final int THREADS = 16;
  private static final int KEYS_PER_THREAD = 5;
  private static final int EVENTS_PER_KEY = 100;
  private static final int ALL = THREADS * KEYS_PER_THREAD * EVENTS_PER_KEY;

  @Test
  void eachKeyKeepsItsOrderAndNothingIsLostOrDoubled(KafkaServer kafka, TestTopics topics)
      throws Exception {
    String topic = topics.create("orders", 7);
    Map<String, Published> acknowledged = new ConcurrentHashMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (EventPublisher publisher =
        EventPublisher.builder(kafka.clientProperties()).source(URI.create("/orders")).build()) {
      CountDownLatch together = new CountDownLatch(THREADS);
      List<Future<?>> running =
          IntStream.range(0, THREADS)
              .<Future<?>>mapToObj(
                  thread ->
                      threads.submit(
                          () -> {
                            together.countDown();
                            together.await();
                            publishKeys(publisher, topic, thread, acknowledged);
                            return null;
                          }))
              .toList();
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }

    List<ConsumerRecord<byte[], byte[]>> records = RecordCollector.on(kafka).readAll(topic);
    assertThat(records).hasSize(ALL);
    assertThat(acknowledged).hasSize(ALL);
    Map<String, List<Integer>> byKey = new HashMap<>();
    Map<String, Integer> partitionOf = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      String key = new String(record.key(), UTF_8);
      String id = new String(record.headers().lastHeader("ce_id").value(), UTF_8);
      byKey
          .computeIfAbsent(key, k -> new ArrayList<>())
          .add(Integer.parseInt(new String(record.value(), UTF_8)));
      assertThat(partitionOf.merge(key, record.partition(), (first, other) -> first))
          .as("partition of key %s", key)
          .isEqualTo(record.partition());
      assertThat(acknowledged.get(id))
          .isEqualTo(new Published(topic, record.partition(), record.offset(), id));
    }
    List<Integer> inOrder = IntStream.range(0, EVENTS_PER_KEY).boxed().toList();
    assertThat(byKey).hasSize(THREADS * KEYS_PER_THREAD);
    assertThat(byKey.values()).allSatisfy(seen -> assertThat(seen).isEqualTo(inOrder));
  }

  private static void publishKeys(
      EventPublisher publisher, String topic, int thread, Map<String, Published> acknowledged) {
    List<CompletionStage<?>> pending = new ArrayList<>();
    for (int number = 0; number < EVENTS_PER_KEY; number++) {
      for (int key = 0; key < KEYS_PER_THREAD; key++) {
        Event event =
            publisher
                .newEvent("com.acme.orders.counted.v1", number)
                .subject("order-" + thread + "-" + key)
                .build();
        pending.add(
            publisher
                .publish(topic, event)
                .thenAccept(done -> acknowledged.put(event.getId(), done)));
      }
    }
    pending.forEach(one -> one.toCompletableFuture().join());
  }
}
