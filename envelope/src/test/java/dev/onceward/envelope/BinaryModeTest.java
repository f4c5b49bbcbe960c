package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BinaryModeTest {
  private static final byte[] NOT_UTF8 = {(byte) 0xC3, 0x28};

  private static ProducerRecord<byte[], byte[]> again(Event event) {
    return EventWriter.binary().write("orders", event);
  }

  @Test
  void dataIsNotCopiedOnTheWayInNorOut() {
    ConsumerRecord<byte[], byte[]> record = Records.event().key("k").value("{}").build();
    Event event = EventReader.standard().read(record);

    assertThat(event.payload()).isSameAs(record.value());
    assertThat(again(event).value()).isSameAs(record.value());
    assertThat(again(event).key()).isSameAs(record.key());
  }

  @Test
  void theLastHeaderWithAValueWinsWhateverTheOrder() {
    Event event =
        Records.record()
            .header("ce_type", "old")
            .header("ce_subject", "s1")
            .header("ce_id", "1")
            .header("ce_type", "new")
            .nullHeader("ce_type")
            .header("ce_source", "/s")
            .header("ce_specversion", "1.0")
            .read();

    assertThat(event.getType()).isEqualTo("new");
    assertThat(Records.count(again(event), "ce_type")).isOne();
    assertThat(Records.text(again(event), "ce_type")).isEqualTo("new");
  }

  @Test
  void nullHeadersAreNoAttributesAndSurvive() {
    Event event =
        Records.event()
            .nullHeader("content-type")
            .nullHeader("ce_time")
            .nullHeader("ce_entityversion")
            .nullHeader("whatever")
            .read();

    assertThat(event.getDataContentType()).isNull();
    assertThat(event.getTime()).isNull();
    assertThat(event.entityVersion()).isEmpty();
    assertThat(Records.lines(again(event).headers()))
        .contains("content-type=null", "ce_time=null", "ce_entityversion=null", "whatever=null");
  }

  @Test
  void aNullHeaderGivesWayWhenACopySetsItsAttribute() {
    Event event = Records.event().nullHeader("ce_subject").nullHeader("content-type").read();
    ProducerRecord<byte[], byte[]> sent =
        again(event.toBuilder().subject("s").data(new byte[0], "a/b").build());

    assertThat(Records.count(sent, "ce_subject")).isOne();
    assertThat(Records.text(sent, "ce_subject")).isEqualTo("s");
    assertThat(Records.count(sent, "content-type")).isOne();
  }

  @Test
  void illegalExtensionNamesAreForeignHeaders() {
    Event event =
        Records.event()
            .header("ce_My-Ext", "1")
            .header("ce_my_ext", "2")
            .header("ce_", "3")
            .header("ce_data", "4")
            .header("ce_datacontenttype", "5")
            .header("CE_id", "6")
            .read();

    assertThat(event.getExtensionNames()).isEmpty();
    assertThat(event.foreignHeaders())
        .extracting(h -> h.key())
        .containsExactly("ce_My-Ext", "ce_my_ext", "ce_", "ce_data", "ce_datacontenttype", "CE_id");
    assertThat(Records.text(again(event), "ce_My-Ext")).isEqualTo("1");
  }

  @Test
  void unknownAttributesAreExtensionsAndSurvive() {
    Event event = Records.event().header("ce_dataregulation", "GDPR").read();

    assertThat(event.getExtension("dataregulation")).isEqualTo("GDPR");
    assertThat(event.getExtensionNames()).containsExactly("dataregulation");
    assertThat(Records.text(again(event), "ce_dataregulation")).isEqualTo("GDPR");
  }

  @Test
  void anUnknownAttributeThatIsNoTextStaysAHeader() {
    Event event = Records.event().header("ce_blob", NOT_UTF8).read();

    assertThat(event.getExtension("blob")).isNull();
    assertThat(event.foreignHeaders().get(0).value()).isEqualTo(NOT_UTF8);
  }

  @Test
  void aNullValueIsAnEventWithoutData() {
    Event event = Records.event().key("k").value((byte[]) null).read();

    assertThat(event.payload()).isNull();
    assertThat(event.getData()).isNull();
    assertThat(again(event).value()).isNull();
  }

  @Test
  void anEmptyValueIsNotTakenForNone() {
    assertThat(again(Records.event().value(new byte[0]).read()).value()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/cloudevents+avro",
        "Application/CloudEvents+Protobuf",
        "application/cloudevents-batch+json",
        "application/cloudevents"
      })
  void anotherCloudEventsFormatIsOpaqueDataBehindCeHeaders(String contentType) {
    Event event = Records.event().header("content-type", contentType).value(NOT_UTF8).read();

    assertThat(event.payload()).isEqualTo(NOT_UTF8);
    assertThat(event.getDataContentType()).isEqualTo(contentType);
    assertThat(Records.text(again(event), "content-type")).isEqualTo(contentType);
  }

  @Test
  void anotherCloudEventsFormatWithoutCeHeadersIsAClearError() {
    assertThatThrownBy(
            () ->
                Records.record()
                    .header("content-type", "application/cloudevents+avro; x=y")
                    .value("Obj")
                    .read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("Record orders-3@42")
        .hasMessageContaining("application/cloudevents+avro is not supported")
        .hasMessageContaining("application/cloudevents+json");
  }

  @Test
  void aRecordThatIsNoEventIsAClearError() {
    assertThatThrownBy(() -> Records.record().key("secret").value("secret").read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("Record orders-3@42")
        .hasMessageContaining("neither ce_ headers nor")
        .hasMessageNotContaining("secret");
  }

  @Test
  void everythingThatIsMissingOrBlankIsNamedAtOnce() {
    assertThatThrownBy(
            () -> Records.record().header("ce_type", " \t").nullHeader("ce_id").value("x").read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("ce_specversion is missing")
        .hasMessageContaining("ce_id is missing")
        .hasMessageContaining("ce_source is missing")
        .hasMessageContaining("ce_type is blank");
  }

  @ParameterizedTest
  @CsvSource({
    "ce_specversion, 0.3, is not 1.0",
    "ce_time, yesterday, is not an RFC 3339 timestamp",
    "ce_time, 2026-02-30T00:00:00Z, is not an RFC 3339 timestamp",
    "ce_occurredat, 2026-01-01T00:00:00, is not an RFC 3339 timestamp",
    "ce_expirytime, 1767225600, is not an RFC 3339 timestamp",
    "ce_entityversion, abc, is not a decimal integer",
    "ce_entityversion, -1, is not a decimal integer",
    "ce_entityversion, 9223372036854775808, is not a decimal integer",
    "ce_entityversion, '', is not a decimal integer",
  })
  void aMalformedTypedAttributeIsAnErrorNotAHalfReadEvent(
      String header, String value, String problem) {
    Records record = Records.event().without(header).header(header, value);

    assertThatThrownBy(record::read)
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining(header + " " + problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ce_id",
        "ce_source",
        "ce_type",
        "ce_subject",
        "ce_partitionkey",
        "ce_correlationid",
        "ce_causationid",
        "ce_dataschema"
      })
  void anAttributeThatIsNoTextIsAnError(String header) {
    Records record = Records.event().without(header).header(header, NOT_UTF8);

    assertThatThrownBy(record::read)
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining(header + " is not UTF-8 text");
  }

  @Test
  void aBrokenOriginTraceparentIsNoReasonToRefuseAnEvent() {
    assertThat(Records.event().header("ce_traceparent", "nonsense").read().originTraceparent())
        .contains("nonsense");
    assertThat(Records.event().header("ce_traceparent", NOT_UTF8).read().originTraceparent())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "not a uri, not%20a%20uri",
    "http://[half, http://%5Bhalf",
    "1:x, 1%3Ax",
    "100%, 100%25",
    "//, %2F%2F",
    "urn:ok, urn:ok"
  })
  void aSourceThatIsNoUriIsToleratedAndWrittenAsItCame(String source, String uri) {
    Event event = Records.event().header("ce_source", source).read();

    assertThat(event.getSource()).hasToString(uri);
    assertThat(Records.text(again(event), "ce_source")).isEqualTo(source);
    assertThat(Records.text(again(event.toBuilder().build()), "ce_source")).isEqualTo(source);
  }

  @Test
  void theEntityKeyIsThePartitionKeyAndElseTheRecordKey() {
    assertThat(Records.event().key("k").header("ce_partitionkey", "p").read().entityKey())
        .contains("p");
    assertThat(Records.event().key("k").read().entityKey()).contains("k");
    assertThat(Records.event().key(NOT_UTF8).read().entityKey()).isEmpty();
    assertThat(Records.event().header("ce_subject", "s").read().entityKey()).isEmpty();
  }

  @Test
  void aReEmitInventsNoAttributes() {
    Event event = Records.event().key("k").header("ce_subject", "s").value("x").read();

    for (Event copy : List.of(event, event.toBuilder().build())) {
      assertThat(Records.lines(again(copy).headers()))
          .noneMatch(line -> line.startsWith("ce_partitionkey"))
          .noneMatch(line -> line.startsWith("ce_time"))
          .noneMatch(line -> line.startsWith("content-type"));
      assertThat(again(copy).key()).asString(UTF_8).isEqualTo("k");
    }
  }

  @Test
  void aCopyWithAnotherEntityKeyIsSentUnderThatKey() {
    Event event = Records.event().key(NOT_UTF8).header("ce_partitionkey", "p").read();
    assertThat(again(event).key()).isEqualTo(NOT_UTF8);

    ProducerRecord<byte[], byte[]> moved = again(event.toBuilder().entityKey("q").build());
    assertThat(moved.key()).asString(UTF_8).isEqualTo("q");
    assertThat(Records.text(moved, "ce_partitionkey")).isEqualTo("q");
  }

  @Test
  void foreignHeadersKeepOrderDuplicatesAndNulls() {
    Event event =
        Records.record()
            .header("b", "1")
            .header("ce_specversion", "1.0")
            .header("a", "2")
            .header("ce_id", "1")
            .nullHeader("b")
            .header("ce_source", "/s")
            .header("ce_type", "t")
            .header("b", "1")
            .header("traceparent", "tp")
            .read();

    List<String> foreign = Records.lines(event.foreignHeaders());
    assertThat(event.foreignHeaders())
        .extracting(h -> h.key())
        .containsExactly("b", "a", "b", "b", "traceparent");
    assertThat(Records.lines(Records.consumed(again(event)).headers()))
        .containsSubsequence(foreign);
  }

  @Test
  void theEventIdFollowsTheIdButAForeignOneIsLeftAlone() {
    Event own = Records.event().header("event-id", "1").header("event-id", "1").read();
    assertThat(own.foreignHeaders()).isEmpty();
    assertThat(Records.count(again(own), "event-id")).isOne();
    assertThat(Records.text(again(own.toBuilder().id("2").build()), "event-id")).isEqualTo("2");

    Event foreign = Records.event().header("event-id", "theirs").read();
    assertThat(Records.text(again(foreign), "event-id")).isEqualTo("theirs");
    assertThat(Records.count(again(foreign), "event-id")).isOne();
  }

  @Test
  void aBuiltEventIsWrittenByTheWireTable() {
    Event event =
        Event.builder()
            .id("e-1")
            .source("/orders")
            .type("t")
            .subject("o-1")
            .entityVersion(7)
            .data("{}".getBytes(UTF_8), "application/json")
            .build();
    ProducerRecord<byte[], byte[]> record = again(event);

    assertThat(record.topic()).isEqualTo("orders");
    assertThat(record.partition()).isNull();
    assertThat(record.timestamp()).isNull();
    assertThat(record.key()).asString(UTF_8).isEqualTo("o-1");
    assertThat(record.headers())
        .extracting(h -> h.key())
        .containsExactlyInAnyOrder(
            EventHeaders.SPECVERSION,
            EventHeaders.ID,
            EventHeaders.SOURCE,
            EventHeaders.TYPE,
            EventHeaders.SUBJECT,
            EventHeaders.TIME,
            EventHeaders.PARTITIONKEY,
            EventHeaders.ENTITYVERSION,
            EventHeaders.CONTENT_TYPE,
            EventHeaders.EVENT_ID);
    assertThat(Records.text(record, EventHeaders.EVENT_ID)).isEqualTo("e-1");
    assertThat(Records.text(record, EventHeaders.ENTITYVERSION)).isEqualTo("7");
    assertThat(EventWriter.binary().write("t", 4, 99L, event).partition()).isEqualTo(4);
    assertThat(EventWriter.binary().write("t", 4, 99L, event).timestamp()).isEqualTo(99L);
  }

  @Test
  void anEventWithoutKeyIsSentWithoutKey() {
    assertThat(again(Event.builder().source("/s").type("t").build()).key()).isNull();
  }

  @Test
  void dataThatBinaryModeWouldConfuseWithTheEnvelopeIsRefused() {
    Event event =
        Records.structured(
                """
                {"specversion":"1.0","id":"1","source":"/s","type":"t",
                 "datacontenttype":"application/cloudevents+json","data":{"specversion":"1.0"}}
                """)
            .read();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> again(event))
        .withMessageContaining("write it in structured mode");
    assertThat(
            EventReader.standard()
                .read(Records.consumed(EventWriter.structured().write("t", event))))
        .isEqualTo(event);
  }
}
