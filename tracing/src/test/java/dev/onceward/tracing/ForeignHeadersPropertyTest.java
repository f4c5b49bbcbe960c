package dev.onceward.tracing;

import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static dev.onceward.tracing.Records.incoming;
import static dev.onceward.tracing.Records.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** Whatever bytes come in the headers: no exception in, and one valid context out. */
@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class ForeignHeadersPropertyTest {

  private static final String VALID = "00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}";
  private static final String[] NAMES = {
    "traceparent", "tracestate", "baggage", "ce_traceparent", "ce_id", "event-id"
  };

  private final EventTracing withSdk =
      EventTracing.builder()
          .openTelemetry(OpenTelemetrySdk.builder().build())
          .processRelation(ProcessRelation.PARENT_AND_LINK)
          .build();
  private final EventTracing withoutSdk = EventTracing.global();

  @Property(tries = 1_000)
  void anyHeadersAreTakenAndOneValidContextIsPassedOn(
      @ForAll("foreignHeaders") List<Header> found) {
    for (EventTracing tracing : List.of(withSdk, withoutSdk)) {
      Headers out = forward(tracing, found);

      assertThat(values(out, "traceparent")).singleElement().asString().matches(VALID);
      assertThat(values(out, "tracestate")).hasSizeLessThanOrEqualTo(1);
      assertThat(values(out, "baggage")).hasSizeLessThanOrEqualTo(1);
    }
  }

  @Property(tries = 1_000)
  void anyHeadersAreReplacedByASendOutsideOfADelivery(
      @ForAll("foreignHeaders") List<Header> found) {
    for (EventTracing tracing : List.of(withSdk, withoutSdk)) {
      ProducerRecord<byte[], byte[]> record = record(found);
      EventTracing.SendSpan send = tracing.startSend(record);
      send.sent(0, 0);

      assertThat(values(record.headers(), "traceparent"))
          .containsExactly(send.traceparent())
          .allMatch(value -> value.matches(VALID));
    }
  }

  @Provide
  Arbitrary<List<Header>> foreignHeaders() {
    Arbitrary<byte @Nullable []> bytes =
        Arbitraries.bytes().array(byte[].class).ofMaxSize(80).injectNull(0.1);
    Arbitrary<byte @Nullable []> ascii =
        Arbitraries.strings()
            .withChars("0123456789abcdefABCDEF-=,;% \t\u007f")
            .ofMaxLength(80)
            .map(text -> text.getBytes(StandardCharsets.UTF_8));
    Arbitrary<byte @Nullable []> nearlyValid =
        Combinators.combine(
                Arbitraries.integers().between(0, TRACEPARENT.length() - 1), Arbitraries.bytes())
            .as(
                (index, b) -> {
                  byte[] mutated = TRACEPARENT.getBytes(StandardCharsets.UTF_8);
                  mutated[index] = b;
                  return mutated;
                });
    return Combinators.combine(
            Arbitraries.of(NAMES), Arbitraries.oneOf(List.of(bytes, ascii, nearlyValid)))
        .as((name, value) -> (Header) new RecordHeader(name, value))
        .list()
        .ofMaxSize(8);
  }

  private static Headers forward(EventTracing tracing, List<Header> found) {
    EventTracing.ProcessSpan process =
        tracing.startProcess(incoming(new RecordHeaders(found)), "relay", 1);
    ProducerRecord<byte[], byte[]> record = record(found);
    try (Scope ignored = process.makeCurrent()) {
      assertThat(Span.current().getSpanContext().isValid()).isTrue();
      tracing.startSend(record).sent(0, 0);
    }
    process.ended("applied");
    return record.headers();
  }

  private static ProducerRecord<byte[], byte[]> record(List<Header> headers) {
    return new ProducerRecord<>(TOPIC, null, new byte[0], new byte[0], new ArrayList<>(headers));
  }
}
