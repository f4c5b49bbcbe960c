package dev.onceward.consumer.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.SharedDelivery;
import dev.onceward.consumer.internal.handler.HandlerScanner;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.EventWriter;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.tracing.EventTracing;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** Deliveries of several handlers that are handled on one thread. */
class TogetherTest {

  private final List<String> called = new ArrayList<>();

  @EventHandlers(id = "lists", topics = "topic")
  final class Lists {
    @Handles("com.acme.good.v1")
    void good(List<Event> events) {
      events.forEach(event -> called.add(event.getId()));
    }

    @Handles("com.acme.bad.v1")
    void bad(List<Event> events) {
      if (!events.isEmpty()) {
        throw new StackOverflowError("of " + events.size());
      }
    }
  }

  @Test
  void anErrorOfOneHandlerUndoesNothingOfAnother() {
    List<SharedDelivery> deliveries =
        List.of(
            delivery("com.acme.good.v1", "1"),
            delivery("com.acme.bad.v1", "2"),
            delivery("com.acme.good.v1", "3"));
    assertThat(pipeline().handleTogether(deliveries))
        .containsExactly(Outcome.APPLIED, null, Outcome.APPLIED);
    assertThat(called).containsExactly("1", "3");
  }

  private Pipeline pipeline() {
    List<String> problems = new ArrayList<>();
    HandlerScanner scanner = new HandlerScanner(problems);
    scanner.scan(new Lists());
    assertThat(problems).isEmpty();
    return Pipeline.of(
        Routes.of(scanner.routes()),
        null,
        new InboxEntries(
            any -> new FenceScope("group", any.topic(), null, any.partition()), any -> Map.of()),
        JacksonPayloadMapper.standard(),
        EventTracing.global(),
        UnhandledEvents.SKIP,
        List.of(),
        Clock.systemUTC());
  }

  private static SharedDelivery delivery(String type, String id) {
    Event event = Event.builder().id(id).source("/acme").type(type).subject(id).build();
    ProducerRecord<byte[], byte[]> written = EventWriter.binary().write("topic", event);
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "topic",
            0,
            Long.parseLong(id),
            0L,
            TimestampType.CREATE_TIME,
            -1,
            -1,
            null,
            written.value() == null ? new byte[0] : written.value(),
            written.headers(),
            Optional.empty());
    RecordDelivery.Source source =
        new RecordDelivery.Source("group", EventReader.standard(), (topic, of) -> "lists");
    return new SharedDelivery(
        new RecordDelivery(
            record, source, 1, new HandlerLease(record, LeasePolicy.standard(), System::nanoTime)),
        id);
  }
}
