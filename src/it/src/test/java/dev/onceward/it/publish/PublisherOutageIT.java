package dev.onceward.it.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.envelope.Event;
import dev.onceward.producer.EventPublisher;
import dev.onceward.producer.PublishException;
import dev.onceward.producer.Published;
import dev.onceward.producer.UnacknowledgedEventsException;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestTopics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** A broker that is killed, comes back, and hangs, while events are published. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PublisherOutageIT {

  private static final String TYPE = "com.acme.orders.placed.v1";
  private static final int EVENTS = 200;

  private final ChildKafka kafka = ChildKafka.start();

  @AfterAll
  void stop() {
    kafka.close();
  }

  @Test
  void eventsOfAnOutageArePublishedOnceAndInOrderWhenTheBrokerIsBack() {
    String orders = TestTopics.on(kafka).create("orders", 1);
    try (EventPublisher publisher = publisher(Map.of())) {
      List<CompletableFuture<Published>> before = publish(publisher, orders, 0, EVENTS);
      kafka.kill();
      List<CompletableFuture<Published>> during = publish(publisher, orders, EVENTS, 2 * EVENTS);
      kafka.restart();

      before.forEach(CompletableFuture::join);
      during.forEach(CompletableFuture::join);
    }

    List<String> ids =
        RecordCollector.on(kafka).readAll(orders).stream()
            .map(record -> new String(record.headers().lastHeader("ce_id").value(), UTF_8))
            .toList();
    assertThat(ids).isEqualTo(IntStream.range(0, 2 * EVENTS).mapToObj(n -> "e-" + n).toList());
  }

  @Test
  void anEventThatTheOutageOutlastsIsNamedWithTheSetting() {
    String orders = TestTopics.on(kafka).create("orders", 1);
    try (EventPublisher publisher =
        publisher(Map.of("delivery.timeout.ms", 2_000, "request.timeout.ms", 1_000))) {
      publish(publisher, orders, 0, 1).get(0).join();
      kafka.kill();
      try {
        CompletableFuture<Published> late = publish(publisher, orders, 1, 2).get(0);

        CompletionException error = catchThrowableOfType(CompletionException.class, late::join);
        assertThat(error).hasCauseInstanceOf(PublishException.class);
        assertThat(error.getCause())
            .hasMessageStartingWith("Event e-1 (" + TYPE + ") was not published to " + orders)
            // which of them depends on whether the client has forgotten the brokers by then
            .message()
            .containsAnyOf("delivery.timeout.ms=2000", "max.block.ms=10000")
            .doesNotContain("\n");
      } finally {
        kafka.restart();
      }
      // the publisher is as good as before
      publish(publisher, orders, 2, 3).get(0).join();
    }
  }

  @Test
  void closeWaitsForTheAcknowledgements() {
    String orders = TestTopics.on(kafka).create("orders", 1);
    EventPublisher publisher = publisher(Map.of());
    publish(publisher, orders, 0, 1).get(0).join();
    kafka.pause();
    List<CompletableFuture<Published>> pending = publish(publisher, orders, 1, 50);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(publisher::close);
    assertThat(pending).noneMatch(CompletableFuture::isDone);
    assertThat(closing).isNotDone();
    kafka.resume();

    closing.join();

    assertThat(pending).allMatch(one -> one.isDone() && !one.isCompletedExceptionally());
    assertThat(RecordCollector.on(kafka).readAll(orders)).hasSize(50);
  }

  @Test
  void closeSaysHowManyEventsWereNotAcknowledgedInItsTime() {
    String orders = TestTopics.on(kafka).create("orders", 1);
    EventPublisher publisher =
        EventPublisher.builder(kafka.clientProperties())
            .closeTimeout(Duration.ofMillis(500))
            .build();
    publish(publisher, orders, 0, 1).get(0).join();
    kafka.pause();
    try {
      List<CompletableFuture<Published>> pending = publish(publisher, orders, 1, 21);

      UnacknowledgedEventsException error =
          catchThrowableOfType(UnacknowledgedEventsException.class, publisher::close);

      assertThat(error).hasMessageStartingWith("20 events were not acknowledged");
      assertThat(error.count()).isEqualTo(20);
      assertThat(pending)
          .allSatisfy(
              one ->
                  assertThat(catchThrowableOfType(CompletionException.class, one::join))
                      .hasCauseInstanceOf(PublishException.class)
                      .hasMessageContaining("the publisher was closed before"));
    } finally {
      kafka.resume();
    }
  }

  private static List<CompletableFuture<Published>> publish(
      EventPublisher publisher, String topic, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(
            n ->
                publisher
                    .publish(
                        topic,
                        Event.builder()
                            .id("e-" + n)
                            .type(TYPE)
                            .source("/orders")
                            .subject("order-1")
                            .noData()
                            .build())
                    .toCompletableFuture())
        .toList();
  }

  private EventPublisher publisher(Map<String, ?> properties) {
    Map<String, Object> all = new HashMap<>(kafka.clientProperties());
    all.putAll(properties);
    return EventPublisher.builder(all).build();
  }
}
