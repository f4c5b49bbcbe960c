package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.core.provider.EventFormatProvider;
import io.cloudevents.jackson.JsonFormat;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.net.URI;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.arbitraries.StringArbitrary;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** The CloudEvents SDK's Kafka binding as independent reader and writer. */
class CloudEventsSdkTest {

  private static CloudEvent readBySdk(ProducerRecord<byte[], byte[]> record) {
    return KafkaMessageFactory.createReader(Records.consumed(record)).toEvent();
  }

  private static Event readByUs(ProducerRecord<Void, byte[]> record) {
    ConsumerRecord<byte[], byte[]> consumed =
        Records.consumed(
            new ProducerRecord<>("t", null, null, null, record.value(), record.headers()));
    return EventReader.standard().read(consumed);
  }

  @Property(tries = 300)
  void theSdkReadsTheBinaryModeThatWeWrite(@ForAll("events") Event event) {
    assertSame(readBySdk(EventWriter.binary().write("t", event)), event);
  }

  @Property(tries = 300)
  void theSdkReadsTheStructuredModeThatWeWrite(@ForAll("events") Event event) {
    assertSame(readBySdk(EventWriter.structured().write("t", event)), event);
  }

  @Property(tries = 300)
  void weReadTheBinaryModeThatTheSdkWrites(@ForAll("events") Event event) {
    CloudEvent theirs = sdkEvent(event);
    ProducerRecord<Void, byte[]> record = KafkaMessageFactory.createWriter("t").writeBinary(theirs);
    assertSame(theirs, readByUs(record));
  }

  @Property(tries = 300)
  void weReadTheStructuredModeThatTheSdkWrites(@ForAll("events") Event event) {
    CloudEvent theirs = sdkEvent(event);
    ProducerRecord<Void, byte[]> record =
        KafkaMessageFactory.createWriter("t")
            .writeStructured(
                theirs,
                Objects.requireNonNull(
                    EventFormatProvider.getInstance().resolveFormat(JsonFormat.CONTENT_TYPE)));
    assertSame(theirs, readByUs(record));
  }

  /** The SDK builds an event of its own, so that only the wire connects the two. */
  private static CloudEvent sdkEvent(Event event) {
    CloudEventBuilder builder =
        CloudEventBuilder.v1()
            .withId(event.getId())
            .withSource(event.getSource())
            .withType(event.getType())
            .withTime(event.getTime());
    if (event.getSubject() != null) {
      builder.withSubject(event.getSubject());
    }
    if (event.getDataSchema() != null) {
      builder.withDataSchema(event.getDataSchema());
    }
    for (String name : event.getExtensionNames()) {
      builder.withExtension(name, String.valueOf(event.getExtension(name)));
    }
    byte[] payload = event.payload();
    return payload == null
        ? builder.build()
        : builder.withData(event.getDataContentType(), payload).build();
  }

  private static void assertSame(CloudEvent theirs, CloudEvent ours) {
    assertThat(ours.getId()).isEqualTo(theirs.getId());
    assertThat(ours.getSource()).isEqualTo(theirs.getSource());
    assertThat(ours.getType()).isEqualTo(theirs.getType());
    assertThat(ours.getSubject()).isEqualTo(theirs.getSubject());
    assertThat(ours.getTime()).isEqualTo(theirs.getTime());
    assertThat(ours.getDataSchema()).isEqualTo(theirs.getDataSchema());
    assertThat(ours.getDataContentType()).isEqualTo(theirs.getDataContentType());
    assertThat(new TreeSet<>(ours.getExtensionNames()))
        .isEqualTo(new TreeSet<>(theirs.getExtensionNames()));
    for (String name : theirs.getExtensionNames()) {
      assertThat(String.valueOf(ours.getExtension(name)))
          .isEqualTo(String.valueOf(theirs.getExtension(name)));
    }
    assertThat(bytes(ours.getData())).isEqualTo(bytes(theirs.getData()));
  }

  private static byte @Nullable [] bytes(@Nullable CloudEventData data) {
    return data == null ? null : data.toBytes();
  }

  @Provide
  Arbitrary<Event> events() {
    Arbitrary<String> text =
        Combinators.combine(
                text().ofMinLength(1).ofMaxLength(20).filter(s -> !s.isBlank()),
                Arbitraries.of("", "\uD834\uDD1E", "\u00e9\u6f22"))
            .as(String::concat);
    Arbitrary<Map<String, Object>> extensions =
        Arbitraries.maps(
                Arbitraries.strings()
                    .withCharRange('a', 'z')
                    .numeric()
                    .ofMinLength(1)
                    .ofMaxLength(20)
                    .filter(CloudEventsSdkTest::isFree),
                Arbitraries.oneOf(
                    text().ofMaxLength(30).map(s -> (Object) s),
                    Arbitraries.integers().map(i -> (Object) i),
                    Arbitraries.of(true, false).map(b -> (Object) b)))
            .ofMaxSize(4);
    Arbitrary<URI> sources =
        Arbitraries.of("/orders", "urn:x:y", "https://acme.com/a?b=c#d", "ä/ö", "mailto:a@b.c")
            .map(URI::create);
    return Combinators.combine(
            text, sources, text, text.injectNull(0.3), extensions, payloads(), times())
        .as(CloudEventsSdkTest::event);
  }

  private static Event event(
      String id,
      URI source,
      String type,
      @Nullable String subject,
      Map<String, Object> extensions,
      Payload payload,
      OffsetDateTime time) {
    Event.Builder builder =
        Event.builder().id(id).source(source).type(type).subject(subject).time(time);
    extensions.forEach(builder::extension);
    if (subject != null) {
      builder.entityVersion(subject.length()).correlationId(id).dataSchema(URI.create("a:b"));
    }
    if (payload.bytes() != null) {
      builder.data(payload.bytes(), payload.contentType());
    }
    return builder.build();
  }

  private static boolean isFree(String name) {
    try {
      Event.builder().source("/s").type("t").extension(name, "0").build();
      return !name.equals("occurredat")
          && !name.equals("expirytime")
          && !name.equals("entityversion");
    } catch (IllegalArgumentException reserved) {
      return false;
    }
  }

  /** Text that the CloudEvents type String allows, with what quoting and encoding may trip over. */
  private static StringArbitrary text() {
    return Arbitraries.strings()
        .ascii()
        .withChars(" \"\\/\u00e9\u6f22\ufb01\u202e%;=")
        .withCharRange('\u0400', '\u04ff')
        .excludeChars(CONTROLS);
  }

  private static final char[] CONTROLS = controls();

  private static char[] controls() {
    char[] controls = new char[0x20 + 0x21];
    for (int i = 0; i < 0x20; i++) {
      controls[i] = (char) i;
    }
    for (int i = 0; i <= 0x20; i++) {
      controls[0x20 + i] = (char) (0x7f + i);
    }
    return controls;
  }

  private static Arbitrary<Payload> payloads() {
    Arbitrary<Payload> json =
        Arbitraries.of("{\"a\":[1,null,\"é\"]}", "{}", "[]", "12", "\"text\"", "true")
            .map(s -> new Payload(s.getBytes(UTF_8), "application/json"));
    Arbitrary<Payload> binary =
        Arbitraries.bytes()
            .array(byte[].class)
            .ofMinSize(1)
            .ofMaxSize(40)
            .map(bytes -> new Payload(bytes, "application/octet-stream"));
    Arbitrary<Payload> plain =
        text()
            .ofMinLength(1)
            .ofMaxLength(40)
            .map(s -> new Payload(s.getBytes(UTF_8), "text/plain"));
    return Arbitraries.oneOf(json, binary, plain, Arbitraries.just(new Payload(null, "")));
  }

  private static Arbitrary<OffsetDateTime> times() {
    return Combinators.combine(
            Arbitraries.longs().between(0, 4_000_000_000L), Arbitraries.integers().between(-12, 14))
        .as(
            (second, hours) ->
                Instant.ofEpochSecond(second, second % 1_000 * 1_000_003L)
                    .atOffset(ZoneOffset.ofHours(hours)));
  }

  private static final class Payload {
    private final byte @Nullable [] bytes;
    private final String contentType;

    Payload(byte @Nullable [] bytes, String contentType) {
      this.bytes = bytes;
      this.contentType = contentType;
    }

    byte @Nullable [] bytes() {
      return bytes;
    }

    String contentType() {
      return contentType;
    }
  }
}
