package dev.onceward.consumer.internal.pipeline;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.failure.UnhandledEventException;
import dev.onceward.consumer.internal.handler.HandlerScanner;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventFormatException;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.EventWriter;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PayloadException;
import dev.onceward.tracing.EventTracing;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class PipelineTest {

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private final List<String> seen = new ArrayList<>();
  private final List<Interceptor> interceptors = new ArrayList<>();
  private UnhandledEvents unhandled = UnhandledEvents.SKIP;

  record Order(String id, int amount) {}

  @EventHandlers(id = "orders", topics = "topic")
  final class Orders {
    @Handles("com.acme.placed.v1")
    void placed(Order order, Delivery delivery) {
      seen.add(order.id() + "#" + delivery.attempt());
    }

    @Handles("com.acme.removed.v1")
    void removed(@Nullable Order order) {
      seen.add("removed " + order);
    }

    @Handles("com.acme.logged.v1")
    void logged(Event event) {
      seen.add(MDC.get("eventId") + " " + MDC.get("handler"));
    }
  }

  @Test
  void anEventIsDecodedAndHandled() throws Exception {
    assertThat(handle(event("com.acme.placed.v1").build())).isEqualTo(Outcome.APPLIED);
    assertThat(seen).containsExactly("o-1#2");
  }

  @Test
  void anEventPastItsExpiryIsNotHandled() throws Exception {
    OffsetDateTime before = NOW.minusMillis(1).atOffset(ZoneOffset.UTC);
    Event expired = event("com.acme.placed.v1").expiryTime(before).build();
    assertThat(handle(expired)).isEqualTo(Outcome.EXPIRED);
    assertThat(handle(expired.toBuilder().expiryTime(NOW.atOffset(ZoneOffset.UTC)).build()))
        .isEqualTo(Outcome.APPLIED);
    assertThat(seen).hasSize(1);
  }

  @Test
  void aTypeNobodyHandlesIsSkippedOrRefusedByPolicy() throws Exception {
    Event event = event("com.acme.unknown.v1").build();
    assertThat(handle(event)).isEqualTo(Outcome.UNHANDLED);
    unhandled = UnhandledEvents.DEAD_LETTER;
    assertThatThrownBy(() -> handle(event))
        .isInstanceOf(UnhandledEventException.class)
        .hasMessageContaining("com.acme.unknown.v1");
  }

  @Test
  void aTombstoneThatIsNoEventIsSkipped() throws Exception {
    assertThat(pipeline().handle(delivery(new RecordHeaders(), null))).isEqualTo(Outcome.TOMBSTONE);
  }

  @Test
  void anEventWithoutDataReachesOnlyAHandlerThatTakesNone() throws Exception {
    assertThat(handle(event("com.acme.removed.v1").noData().build())).isEqualTo(Outcome.APPLIED);
    assertThat(seen).containsExactly("removed null");
    assertThatThrownBy(() -> handle(event("com.acme.placed.v1").noData().build()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Orders.placed")
        .hasMessageContaining("@Nullable");
  }

  @Test
  void bytesThatAreNoEventAreRefused() {
    assertThatThrownBy(
            () -> pipeline().handle(delivery(new RecordHeaders(), "garbage".getBytes(UTF_8))))
        .isInstanceOf(EventFormatException.class);
  }

  @Test
  void interceptorsRunInTheOrderTheyWereAddedAndMayRunTheRestAgain() throws Exception {
    interceptors.add(
        chain -> {
          seen.add("outer");
          return chain.proceed(chain.delivery());
        });
    interceptors.add(
        chain -> {
          seen.add("inner");
          chain.proceed(chain.delivery());
          return chain.proceed(chain.delivery());
        });
    assertThat(handle(event("com.acme.placed.v1").build())).isEqualTo(Outcome.APPLIED);
    assertThat(seen).containsExactly("outer", "inner", "o-1#2", "o-1#2");
  }

  @Test
  void anInterceptorThatReturnsNoOutcomeIsNamed() {
    Interceptor forgetful =
        new Interceptor() {
          @Override
          @SuppressWarnings("NullAway") // what a caller without NullAway can do
          public Outcome intercept(Chain chain) throws Exception {
            chain.proceed(chain.delivery());
            return null;
          }
        };
    interceptors.add(forgetful);
    assertThatThrownBy(() -> handle(event("com.acme.placed.v1").build()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(forgetful.getClass().getName())
        .hasMessageContaining("returned null");
  }

  @Test
  void theLogContextIsThereForTheHandlerAndGoneAfterwards() throws Exception {
    MDC.put("eventId", "of the caller");
    try {
      handle(event("com.acme.logged.v1").id("e-7").build());
      assertThat(seen).containsExactly("e-7 orders");
      assertThat(MDC.get("eventId")).isEqualTo("of the caller");
      assertThat(MDC.get("handler")).isNull();
    } finally {
      MDC.clear();
    }
  }

  @Test
  void theIdempotencyKeyIsOfTheHandlerAndTheEventAndOfNothingElse() {
    Event event = event("com.acme.placed.v1").id("e-1").build();
    String key = delivery(event).idempotencyKey();
    assertThat(key).matches("[0-9a-f]{32}").isEqualTo(delivery(event).idempotencyKey());
    assertThat(delivery(event.toBuilder().id("e-2").build()).idempotencyKey()).isNotEqualTo(key);
    assertThat(delivery(event.toBuilder().type("com.acme.unknown.v1").build()).idempotencyKey())
        .isNotEqualTo(key);
  }

  private Outcome handle(Event event) throws Exception {
    return pipeline().handle(delivery(event));
  }

  private Pipeline pipeline() {
    return Pipeline.of(
        routes(),
        null,
        new InboxEntries(
            any -> new FenceScope("group", any.topic(), null, any.partition()), any -> Map.of()),
        JacksonPayloadMapper.standard(),
        EventTracing.global(),
        unhandled,
        interceptors,
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  private Routes routes() {
    List<String> problems = new ArrayList<>();
    HandlerScanner scanner = new HandlerScanner(problems);
    scanner.scan(new Orders());
    assertThat(problems).isEmpty();
    return Routes.of(scanner.routes());
  }

  private static Event.Builder event(String type) {
    return Event.builder()
        .source("/acme")
        .type(type)
        .subject("o-1")
        .data(new Order("o-1", 3), JacksonPayloadMapper.standard());
  }

  private RecordDelivery delivery(Event event) {
    ProducerRecord<byte[], byte[]> written = EventWriter.binary().write("topic", event);
    return delivery(written.headers(), written.value());
  }

  private RecordDelivery delivery(Headers headers, byte @Nullable [] value) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "topic",
            0,
            1L,
            0L,
            TimestampType.CREATE_TIME,
            -1,
            value == null ? -1 : value.length,
            null,
            value,
            headers,
            Optional.empty());
    RecordDelivery.Source source =
        new RecordDelivery.Source(
            "group",
            EventReader.standard(),
            (topic, type) -> routes().find(topic, type) == null ? "group" : "orders");
    return new RecordDelivery(
        record, source, 2, new HandlerLease(record, LeasePolicy.standard(), System::nanoTime));
  }
}
