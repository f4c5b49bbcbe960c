package dev.onceward.it.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.PolicyAction;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.it.start.Ports;
import dev.onceward.it.start.Running;
import dev.onceward.producer.EventPublisher;
import dev.onceward.producer.PublishException;
import dev.onceward.producer.Published;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestTopics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What the stage of an event says when it is not published, and that the publisher goes on. */
@OncewardTest
@Isolated("looks at all threads and clients of the JVM")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PublisherFaultsIT {

  private static final String TYPE = "com.acme.orders.placed.v1";
  private static final String SECRET = "s3cret-9f";
  private static final int MEGABYTE = 1024 * 1024;

  private final Running before = Running.now();

  @AfterEach
  void nothingIsLeftBehind() {
    before.awaitNothingMore();
  }

  @Test
  void anUnknownTopicIsNamed(KafkaServer kafka, TestTopics topics) {
    String missing = topics.name("missing");
    String existing = topics.create("orders", 1);
    try (EventPublisher publisher = publisher(kafka, Map.of("max.block.ms", 1_500))) {
      PublishException error = failure(publisher.publish(missing, event("e-1")));

      assertNames(error, missing, "e-1", "the topic does not exist", "auto.create.topics.enable");
      assertGoesOn(publisher, kafka, existing);
    }
  }

  @Test
  void anIllegalTopicNameIsNamed(KafkaServer kafka, TestTopics topics) {
    String existing = topics.create("orders", 1);
    try (EventPublisher publisher = publisher(kafka, Map.of("max.block.ms", 1_500))) {
      PublishException error = failure(publisher.publish("no topic!", event("e-1")));

      assertNames(error, "no topic!", "e-1", "the topic name is not legal");
      assertGoesOn(publisher, kafka, existing);
    }
  }

  @Test
  void anEventLargerThanTheBrokerTakesIsNamed(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    try (EventPublisher publisher =
        EventPublisher.builder(with(kafka, Map.of("max.request.size", 8 * MEGABYTE)))
            .source(URI.create("/orders"))
            .sizePolicy(SizePolicy.of(8 * MEGABYTE, PolicyAction.REFUSE))
            .build()) {
      PublishException error = failure(publisher.publish(topic, large(4 * MEGABYTE)));

      assertNames(error, topic, "large", "larger than the broker allows", "message.max.bytes");
      assertGoesOn(publisher, kafka, topic);
    }
  }

  @Test
  void anEventLargerThanTheProducerSendsIsNamed(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    try (EventPublisher publisher =
        EventPublisher.builder(kafka.clientProperties())
            .source(URI.create("/orders"))
            .sizePolicy(SizePolicy.of(8 * MEGABYTE, PolicyAction.REFUSE))
            .build()) {
      PublishException error = failure(publisher.publish(topic, large(4 * MEGABYTE)));

      assertNames(error, topic, "large", "larger than the producer allows", "max.request.size");
      assertGoesOn(publisher, kafka, topic);
    }
  }

  @Test
  void anEventOverThePolicysLimitIsNamed(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    try (EventPublisher publisher = publisher(kafka, Map.of())) {
      PublishException error = failure(publisher.publish(topic, large(MEGABYTE)));

      assertNames(error, topic, "large", "over the limit of 102400", "SizePolicy");
      assertGoesOn(publisher, kafka, topic);
    }
  }

  @Test
  void wrongCredentialsAreNamedAndNotShown() {
    try (KafkaServer kafka =
        KafkaServer.start(
            KafkaSettings.builder().saslPlain("app", "right-one-" + SECRET).build())) {
      String topic = TestTopics.on(kafka).create("orders", 1);
      String wrong =
          "org.apache.kafka.common.security.plain.PlainLoginModule required"
              + " username=\"app\" password=\"wrong-"
              + SECRET
              + "\";";
      try (EventPublisher publisher = publisher(kafka, Map.of("sasl.jaas.config", wrong))) {
        PublishException error = failure(publisher.publish(topic, event("e-1")));

        assertNames(error, topic, "e-1", "refused the credentials", "sasl.jaas.config");
        assertThat(printed(error)).doesNotContain(SECRET);
      }
      assertThat(RecordCollector.on(kafka).readAll(topic)).isEmpty();
      try (EventPublisher publisher = publisher(kafka, Map.of())) {
        assertGoesOn(publisher, kafka, topic);
      }
    }
  }

  @Test
  void aListenerThatAsksForAuthenticationIsNamed() {
    try (KafkaServer kafka =
        KafkaServer.start(KafkaSettings.builder().saslPlain("app", SECRET).build())) {
      String topic = TestTopics.on(kafka).create("orders", 1);
      Map<String, Object> plain =
          Map.of("bootstrap.servers", kafka.bootstrapServers(), "max.block.ms", 1_500);
      try (EventPublisher publisher = EventPublisher.builder(plain).build()) {
        PublishException error = failure(publisher.publish(topic, event("e-1")));

        assertNames(
            error, topic, "e-1", "bootstrap.servers=", "security.protocol=PLAINTEXT", "max.block");
      }
    }
  }

  @Test
  void anUnreachableBrokerIsNamedForEachEvent() {
    String servers = "127.0.0.1:" + Ports.closed();
    try (EventPublisher publisher =
        EventPublisher.builder(Map.of("bootstrap.servers", servers, "max.block.ms", 700)).build()) {
      for (String id : List.of("e-1", "e-2")) {
        PublishException error = failure(publisher.publish("orders", event(id)));

        assertNames(error, "orders", id, "bootstrap.servers=" + servers, "max.block.ms=700");
      }
    }
  }

  private static void assertNames(
      PublishException error, String topic, String eventId, String... named) {
    assertThat(error.topic()).isEqualTo(topic);
    assertThat(error.eventId()).isEqualTo(eventId);
    assertThat(error.eventType()).isEqualTo(TYPE);
    assertThat(error.getMessage())
        .startsWith("Event " + eventId + " (" + TYPE + ") was not published to " + topic + ": ")
        .contains(named)
        .doesNotContainPattern("\\R")
        .hasSizeLessThan(700);
  }

  private static void assertGoesOn(EventPublisher publisher, KafkaServer kafka, String topic) {
    Published next = publisher.publish(topic, event("next")).toCompletableFuture().join();

    assertThat(next).isEqualTo(new Published(topic, 0, 0, "next"));
    assertThat(RecordCollector.on(kafka).readAll(topic)).hasSize(1);
  }

  private static PublishException failure(CompletionStage<Published> stage) {
    CompletionException error =
        catchThrowableOfType(CompletionException.class, stage.toCompletableFuture()::join);
    assertThat(error).as("the stage must fail").isNotNull();
    assertThat(error).hasCauseInstanceOf(PublishException.class);
    return (PublishException) Objects.requireNonNull(error.getCause());
  }

  private static EventPublisher publisher(KafkaServer kafka, Map<String, ?> properties) {
    return EventPublisher.builder(with(kafka, properties)).source(URI.create("/orders")).build();
  }

  private static Map<String, Object> with(KafkaServer kafka, Map<String, ?> properties) {
    Map<String, Object> all = new HashMap<>(kafka.clientProperties());
    all.putAll(properties);
    return all;
  }

  private static Event event(String id) {
    return Event.builder().id(id).type(TYPE).source("/orders").subject("order-1").noData().build();
  }

  private static Event large(int bytes) {
    return event("large").toBuilder().data(new byte[bytes], "application/octet-stream").build();
  }

  private static String printed(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
