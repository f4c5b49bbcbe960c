package dev.onceward.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.onceward.envelope.Event;
import dev.onceward.tracing.EventTracing;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real producer and no broker: what users see when the connection is set up wrongly. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UnreachableBrokerTest {

  private static final String TOPIC = "orders.order.events";
  private static final String TYPE = "com.acme.orders.placed.v1";

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  @Test
  void theStageFailsWithinMaxBlockAndNamesEventAndSetting() throws IOException {
    int port = closedPort();
    EventPublisher publisher =
        EventPublisher.builder(properties("127.0.0.1:" + port, "300"))
            .source(URI.create("/orders"))
            .tracing(EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).build())
            .build();
    try (publisher) {
      Event event = publisher.newEvent(TYPE, Map.of("total", 5)).id("e-1").subject("o-1").build();

      long start = System.nanoTime();
      var stage = publisher.publish(TOPIC, event).toCompletableFuture();

      assertThatThrownBy(stage::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .asInstanceOf(type(PublishException.class))
          .satisfies(
              failure -> {
                assertThat(failure.topic()).isEqualTo(TOPIC);
                assertThat(failure.eventId()).isEqualTo("e-1");
                assertThat(failure.eventType()).isEqualTo(TYPE);
                assertThat(failure).hasCauseInstanceOf(TimeoutException.class);
                assertThat(failure.getMessage())
                    .startsWith("Event e-1 (" + TYPE + ") was not published to " + TOPIC + ": ")
                    .contains("bootstrap.servers=127.0.0.1:" + port)
                    .contains("max.block.ms=300")
                    .doesNotContain("\n")
                    .doesNotContain("o-1");
              });
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
    assertThat(otel.getSpans())
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
              assertThat(span.getAttributes().get(AttributeKey.stringKey("error.type")))
                  .isEqualTo(TimeoutException.class.getName());
            });
  }

  @Test
  void aHostThatDoesNotExistIsNamed() {
    Map<String, Object> properties = properties("no-such-host.invalid:9092", "300");
    properties.put("bootstrap.resolve.timeout.ms", "300");

    // Kafka up to 4.3 resolves in the constructor, 4.4 in the background
    assertThatThrownBy(
            () -> {
              try (EventPublisher publisher = EventPublisher.builder(properties).build()) {
                publisher.publish(TOPIC, event()).toCompletableFuture().join();
              }
            })
        .satisfies(
            error ->
                assertThat(error instanceof CompletionException ? error.getCause() : error)
                    .hasMessageContaining("bootstrap.servers=no-such-host.invalid:9092"));
  }

  @Test
  void contradictingPropertiesAreRefusedWhenThePublisherIsBuilt() {
    Properties properties = new Properties();
    properties.putAll(properties("127.0.0.1:1", "300"));
    properties.setProperty("acks", "1");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventPublisher.builder(properties).build())
        .withMessageStartingWith("Kafka property acks must be all");
  }

  @Test
  void aPropertyKafkaRefusesIsNamed() {
    Map<String, Object> properties = properties("127.0.0.1:1", "300");
    properties.put("compression.type", "brotli");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventPublisher.builder(properties).build())
        .withMessageContaining("compression.type")
        .withMessageContaining("brotli")
        .withMessageNotContaining("\n");
  }

  @Test
  void brokenCredentialsAreReportedWithoutShowingThem() {
    for (String jaas :
        new String[] {
          "org.apache.kafka.common.security.plain.PlainLoginModule required"
              + " username=\"app\" password=\"hunter2-9f\"",
          "org.apache.kafka.common.security.plain.PlainLoginModule hunter2-9f"
              + " username=\"app\" password=\"hunter2-9f\";",
          "org.apache.kafka.common.security.plain.PlainLoginModule required"
              + " username=\"app\" password hunter2-9f;",
          "org.apache.kafka.common.security.plain.PlainLoginModule required"
              + " username=\"app\" password=\"hunter2-9f;",
          "hunter2-9f"
        }) {
      Map<String, Object> properties = properties("127.0.0.1:1", "300");
      properties.put("security.protocol", "SASL_PLAINTEXT");
      properties.put("sasl.mechanism", "PLAIN");
      properties.put("sasl.jaas.config", jaas);

      assertThatIllegalArgumentException()
          .isThrownBy(() -> EventPublisher.builder(properties).build())
          .withMessageContaining("sasl.jaas.config")
          .satisfies(error -> assertThat(printed(error)).doesNotContain("hunter2"));
    }
  }

  @Test
  void aSecretOfTheWrongTypeIsNotShown() {
    Map<String, Object> properties = properties("127.0.0.1:1", "300");
    properties.put("ssl.key.password", 48151623);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventPublisher.builder(properties).build())
        .withMessageContaining("ssl.key.password")
        .satisfies(error -> assertThat(printed(error)).doesNotContain("48151623"));
  }

  @Test
  void aKeyStoreThatIsMissingIsNamedWithoutItsPassword() {
    Map<String, Object> properties = properties("127.0.0.1:1", "300");
    properties.put("security.protocol", "SSL");
    properties.put("ssl.truststore.location", "/no/such/trust.p12");
    properties.put("ssl.truststore.password", "tr0ub4dor");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventPublisher.builder(properties).build())
        .withMessageContaining("/no/such/trust.p12")
        .satisfies(error -> assertThat(printed(error)).doesNotContain("tr0ub4dor"));
  }

  @Test
  void programmingErrorsAreThrownAtOnce() {
    EventPublisher publisher = EventPublisher.builder(properties("127.0.0.1:1", "300")).build();

    assertThatThrownBy(() -> publisher.publish(nothing(), event()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("topic");
    assertThatThrownBy(() -> publisher.publish(TOPIC, nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("event");

    publisher.close();
    publisher.close();
    assertThatThrownBy(() -> publisher.publish(TOPIC, event()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The publisher is closed.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventPublisher.builder(Map.of()).closeTimeout(Duration.ofMillis(-1)));
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what callers without checks do
  private static <T> T nothing() {
    return null;
  }

  private static Event event() {
    return Event.builder().type(TYPE).source("/orders").subject("o-1").noData().build();
  }

  private static Map<String, Object> properties(String servers, String maxBlockMillis) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", servers);
    properties.put("max.block.ms", maxBlockMillis);
    return properties;
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String printed(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
