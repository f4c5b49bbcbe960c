package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What comes in goes out again, however odd it is and however often. */
class LosslessTest {
  private static final int HOPS = 20;
  private static final EventReader READER = EventReader.standard();

  private static ProducerRecord<byte[], byte[]> hops(
      EventWriter writer, ConsumerRecord<byte[], byte[]> record, boolean copy) {
    ConsumerRecord<byte[], byte[]> current = record;
    ProducerRecord<byte[], byte[]> written = null;
    for (int hop = 0; hop < HOPS; hop++) {
      Event event = READER.read(current);
      written = writer.write("orders", copy ? event.toBuilder().build() : event);
      current = Records.consumed(written);
    }
    return Objects.requireNonNull(written);
  }

  @Test
  @Timeout(5)
  void aRecordFullOfAttributesIsWrittenInNoLongTime() {
    Records full = Records.event();
    int attributes = 60_000; // what fits into 1 MB
    for (int i = 0; i < attributes; i++) {
      full.header("ce_x" + Integer.toString(i, 36), "v");
    }
    ConsumerRecord<byte[], byte[]> record = full.build();
    Event event = READER.read(record);

    assertThat(EventWriter.binary().write("orders", event).headers())
        .hasSizeGreaterThan(attributes);
    assertThat(event.toBuilder().build()).isEqualTo(event);
  }

  @Property(tries = 300)
  void anyHeadersSurviveTwentyHopsInBinaryMode(
      @ForAll("headerSoup") List<Header> soup,
      @ForAll("bytes") byte[] key,
      @ForAll("bytes") byte[] value,
      @ForAll boolean copy) {
    ConsumerRecord<byte[], byte[]> record = record(soup, key, value);
    ProducerRecord<byte[], byte[]> written = hops(EventWriter.binary(), record, copy);

    assertThat(written.key()).isEqualTo(record.key());
    assertThat(written.value()).isEqualTo(record.value());
    assertThat(Expected.from(written.headers())).isEqualTo(Expected.from(record.headers()));
    written.headers().forEach(h -> assertSetOnce(written, h.key()));
  }

  @Property(tries = 300)
  void anyMembersSurviveTwentyHopsInStructuredMode(
      @ForAll("members") ObjectNode members,
      @ForAll("foreign") List<Header> foreign,
      @ForAll boolean copy)
      throws IOException {
    Records structured = Records.structured(members.toString());
    foreign.forEach(h -> structured.header(h.key(), h.value()));
    ProducerRecord<byte[], byte[]> written =
        hops(EventWriter.structured(), structured.build(), copy);

    assertThat(new ObjectMapper().readTree(written.value())).isEqualTo(members);
    List<String> lines = Records.lines(written.headers());
    assertThat(lines.subList(lines.size() - foreign.size(), lines.size()))
        .isEqualTo(Records.lines(foreign));
    assertThat(lines).hasSize(foreign.size() + 2);
  }

  @Property(tries = 200)
  void goingToAndFroBetweenTheModesSettlesAndKeepsTheData(
      @ForAll("headerSoup") List<Header> soup, @ForAll("bytes") byte[] value) {
    ConsumerRecord<byte[], byte[]> record = record(soup, new byte[] {1}, value);
    Event first = READER.read(record);
    Event event = first;
    for (int hop = 0; hop < HOPS; hop++) {
      EventWriter writer = hop % 2 == 0 ? EventWriter.structured() : EventWriter.binary();
      event = READER.read(Records.consumed(writer.write("orders", event)));
    }

    assertThat(event).isEqualTo(first);
    // A content-type without value goes where structured mode writes its own.
    List<String> kept = Records.lines(first.foreignHeaders());
    kept.removeIf(line -> line.startsWith("content-type="));
    assertThat(Records.lines(event.foreignHeaders())).isEqualTo(kept);
  }

  @Test
  void spaceAroundDataOfNoStatedTypeIsKeptInStructuredMode() {
    Records record =
        Records.record()
            .key(new byte[] {1})
            .value(new byte[] {'\t', '0'})
            .header("ce_specversion", "1.0")
            .header("ce_id", "1")
            .header("ce_type", "t")
            .header("ce_source", "/s");
    Event event = READER.read(record.build());

    Event again = READER.read(Records.consumed(EventWriter.structured().write("orders", event)));
    assertThat(again).isEqualTo(event);
  }

  private static void assertSetOnce(ProducerRecord<byte[], byte[]> record, String header) {
    boolean own = header.matches("ce_[a-z0-9]+") && Records.text(record, header) != null;
    if (own && !header.equals("ce_data") && !header.equals("ce_datacontenttype")) {
      assertThat(Records.count(record, header)).as(header).isOne();
    }
  }

  private static ConsumerRecord<byte[], byte[]> record(
      List<Header> soup, byte[] key, byte[] value) {
    Records record = Records.record().key(key).value(value);
    soup.forEach(h -> record.header(h.key(), h.value()));
    return record.build();
  }

  /** The meaning of headers, worked out in another way than the reader does it. */
  private record Expected(Map<String, String> attributes, List<String> foreign) {
    static Expected from(Iterable<Header> headers) {
      Map<String, String> attributes = new LinkedHashMap<>();
      List<String> foreign = new ArrayList<>();
      for (Header header : headers) {
        if (header.value() != null && isOwn(header.key())) {
          attributes.put(header.key(), Arrays.toString(header.value()));
        }
      }
      for (Header header : headers) {
        if (!attributes.containsKey(header.key()) && !header.key().equals("event-id")) {
          foreign.addAll(Records.lines(List.of(header)));
        }
      }
      attributes.remove("event-id");
      return new Expected(new HashMap<>(attributes), foreign);
    }

    private static boolean isOwn(String name) {
      return name.equals("content-type")
          || (name.matches("ce_[a-z0-9]+")
              && !List.of("ce_data", "ce_datacontenttype").contains(name));
    }
  }

  @Provide
  Arbitrary<byte[]> bytes() {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(30);
  }

  @Provide
  Arbitrary<List<Header>> headerSoup() {
    Arbitrary<String> names =
        Arbitraries.of(
            "ce_My-Ext",
            "ce_my_ext",
            "ce_",
            "ce_data",
            "ce_datacontenttype",
            "CE_ID",
            "ce-id",
            "ce_tenant",
            "ce_x1",
            "ce_subject",
            "ce_partitionkey",
            "ce_dataref",
            "traceparent",
            "tracestate",
            "baggage",
            "content-type",
            "event-id",
            "kafka_dlt-original-topic",
            "",
            "ü",
            "ce_ü",
            "content-Type");
    Arbitrary<String> text =
        Arbitraries.of("1", "", "a b", "application/json", "é漢𝄞", "x;y=\"z\"");
    Arbitrary<Header> soup =
        Combinators.combine(names, text.injectNull(0.2)).as(LosslessTest::header);
    Arbitrary<Header> binary =
        Combinators.combine(Arbitraries.of("h", "blob", "ce_No"), bytes())
            .as((name, bytes) -> (Header) new RecordHeader(name, bytes));
    List<Header> required =
        List.of(
            header("ce_specversion", "1.0"),
            header("ce_id", "1"),
            header("ce_source", "/s"),
            header("ce_type", "t"));
    return Arbitraries.oneOf(soup, binary)
        .list()
        .ofMaxSize(25)
        .map(list -> concat(list, required))
        .flatMap(Arbitraries::shuffle);
  }

  @Provide
  Arbitrary<List<Header>> foreign() {
    return Combinators.combine(
            Arbitraries.of("ce_My-Ext", "ce_other9", "traceparent", "h", "", "ü"),
            Arbitraries.strings().ascii().ofMaxLength(8).injectNull(0.2))
        .as(LosslessTest::header)
        .list()
        .ofMaxSize(8);
  }

  @Provide
  Arbitrary<ObjectNode> members() {
    Arbitrary<String> names =
        Arbitraries.oneOf(
            Arbitraries.of("data", "subject", "My-Ext", "with space", "é", "a.b", "nested"),
            Arbitraries.strings().withCharRange('a', 'f').ofLength(2));
    return names
        .list()
        .uniqueElements()
        .ofMaxSize(8)
        .flatMap(list -> json(3).list().ofSize(list.size()).map(values -> object(list, values)));
  }

  private static ObjectNode object(List<String> names, List<JsonNode> values) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("specversion", "1.0").put("id", "1").put("source", "/s").put("type", "t");
    for (int i = 0; i < names.size(); i++) {
      boolean textOnly = names.get(i).equals("subject");
      object.set(
          names.get(i),
          textOnly ? JsonNodeFactory.instance.textNode(values.get(i).toString()) : values.get(i));
    }
    return object;
  }

  private static Arbitrary<JsonNode> json(int depth) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    Arbitrary<JsonNode> scalar =
        Arbitraries.oneOf(
            Arbitraries.strings()
                .all()
                .ofMaxLength(6)
                .filter(LosslessTest::isEncodable)
                .map(nodes::textNode),
            Arbitraries.integers().map(nodes::numberNode),
            Arbitraries.longs().map(n -> nodes.numberNode((double) n / 7)),
            Arbitraries.of(true, false).map(nodes::booleanNode),
            Arbitraries.just(nodes.nullNode()));
    if (depth == 0) {
      return scalar;
    }
    Arbitrary<JsonNode> array = json(depth - 1).list().ofMaxSize(3).map(LosslessTest::array);
    Arbitrary<JsonNode> object =
        Arbitraries.maps(Arbitraries.strings().ascii().ofMaxLength(3), json(depth - 1))
            .ofMaxSize(3)
            .map(map -> nodes.objectNode().setAll(map));
    return Arbitraries.oneOf(scalar, array, object);
  }

  private static ArrayNode array(List<JsonNode> values) {
    return JsonNodeFactory.instance.arrayNode().addAll(values);
  }

  private static boolean isEncodable(String text) {
    return UTF_8.newEncoder().canEncode(text);
  }

  private static Header header(String name, @Nullable String text) {
    return new RecordHeader(name, text == null ? null : text.getBytes(UTF_8));
  }

  private static List<Header> concat(List<Header> first, List<Header> second) {
    List<Header> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }
}
