package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StructuredModeTest {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();
  private static final String REQUIRED =
      "\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"";

  private static Event read(String members) {
    return Records.structured("{" + REQUIRED + members + "}").read();
  }

  private static ProducerRecord<byte[], byte[]> again(Event event) {
    return EventWriter.structured().write("orders", event);
  }

  private static JsonNode tree(Event event) throws IOException {
    return JSON.readTree(again(event).value());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/cloudevents+json",
        "Application/CloudEvents+JSON",
        " application/cloudevents+json ;charset=utf-8",
        "application/cloudevents+json; charset=\"UTF-8\"; x=y"
      })
  void everySpellingOfTheContentTypeIsUnderstood(String contentType) {
    Event event =
        Records.record()
            .header("content-type", contentType)
            .key("k")
            .value("{" + REQUIRED + ",\"data\":{\"a\":1}}")
            .read();

    assertThat(event.getId()).isEqualTo("1");
    assertThat(event.payload()).asString(UTF_8).isEqualTo("{\"a\":1}");
    assertThat(event.entityKey()).contains("k");
    assertThat(again(event).key()).asString(UTF_8).isEqualTo("k");
  }

  @Test
  void theStructuredRecordIsWrittenByTheWireTable() throws IOException {
    Event event =
        Event.builder()
            .id("1")
            .source("/s")
            .type("t")
            .subject("o-1")
            .entityVersion(7)
            .extension("flag", true)
            .data("{\"a\":1.50}".getBytes(UTF_8), "application/json")
            .header("h", "v")
            .build();
    ProducerRecord<byte[], byte[]> record = again(event);

    assertThat(record.key()).asString(UTF_8).isEqualTo("o-1");
    assertThat(record.headers())
        .extracting(h -> h.key())
        .containsExactly("content-type", "event-id", "h");
    assertThat(Records.text(record, "content-type")).isEqualTo("application/cloudevents+json");
    assertThat(Records.text(record, "event-id")).isEqualTo("1");
    JsonNode json = tree(event);
    assertThat(json.get("entityversion").isTextual()).isTrue();
    assertThat(json.get("flag").isBoolean()).isTrue();
    assertThat(json.get("data").get("a").decimalValue()).isEqualTo("1.50");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"text\"",
        "12",
        "-0.50e3",
        "true",
        "null",
        "[1, {\"a\" : null}]",
        "{\"big\":123456789012345678901234567890.10,\"dup\":1,\"dup\":2,\"é\":\"\\u00e9\"}"
      })
  void jsonDataOfEveryKindStaysAsItWasSpelled(String data) {
    Event event = read(",\"data\" : " + data + " ,\"datacontenttype\":\"application/json\"");

    assertThat(event.payload()).asString(UTF_8).isEqualTo(data);
    assertThat(again(event).value()).asString(UTF_8).contains("\"data\":" + data);
    assertThat(EventWriter.binary().write("t", event).value()).asString(UTF_8).isEqualTo(data);
  }

  @Test
  void dataWithoutContentTypeIsJsonAndNoContentTypeIsInvented() throws IOException {
    Event event = read(",\"data\":\"x\"");

    assertThat(event.payload()).asString(UTF_8).isEqualTo("\"x\"");
    assertThat(event.getDataContentType()).isNull();
    assertThat(tree(event).has("datacontenttype")).isFalse();
  }

  @Test
  void textDataIsItsText() throws IOException {
    Event event = read(",\"datacontenttype\":\"text/plain\",\"data\":\"a\\n\\u00e9\"");

    assertThat(event.payload()).asString(UTF_8).isEqualTo("a\né");
    assertThat(tree(event).get("data").textValue()).isEqualTo("a\né");
  }

  @Test
  void binaryDataIsBase64() throws IOException {
    Event event = read(",\"data_base64\":\"AAH/\"");

    assertThat(event.payload()).containsExactly(0, 1, 255);
    assertThat(tree(event).get("data_base64").textValue()).isEqualTo("AAH/");
    assertThat(tree(event).has("data")).isFalse();
  }

  @Test
  void anEventWithoutDataHasNone() throws IOException {
    assertThat(read("").payload()).isNull();
    assertThat(tree(read("")).has("data")).isFalse();
    assertThat(read(",\"data_base64\":null").payload()).isNull();
  }

  @Test
  void jsonThatIsNotValidTravelsAsBase64() throws IOException {
    for (String broken : new String[] {"{", "", "{} {}", "\uFEFF{}"}) {
      Event event = Records.event().header("content-type", "application/json").value(broken).read();

      assertThat(tree(event).get("data_base64").binaryValue()).isEqualTo(broken.getBytes(UTF_8));
      assertThat(EventReader.standard().read(Records.consumed(again(event))).payload())
          .isEqualTo(event.payload());
    }
  }

  @Test
  void unknownMembersOfEveryKindSurvive() throws IOException {
    String unknown =
        """
        ,"nested":{"deep":[1,{"x":null}],"n":1.10},"list":[ ],"gone":null,"time":null,
        "My-Ext":"upper","with space":{"a":1},"":0,"pi":3.14159265358979323846264338327950288,
        "huge":123456789012345678901234567890,"half":"\\ud800"
        """;
    Event event = read(unknown);
    for (int hop = 0; hop < 20; hop++) {
      event = EventReader.standard().read(Records.consumed(again(event)));
    }

    assertThat(tree(event)).isEqualTo(JSON.readTree("{" + REQUIRED + unknown + "}"));
    assertThat(tree(event.toBuilder().id("2").build()).get("nested").get("n").decimalValue())
        .isEqualTo("1.10");
    assertThat(event.getExtensionNames()).isEmpty();
  }

  @Test
  void extensionsKeepTheirJsonType() throws IOException {
    Event event = read(",\"flag\":true,\"count\":3,\"big\":5000000000,\"word\":\"w\"");

    assertThat(event.getExtension("flag")).isEqualTo(true);
    assertThat(event.getExtension("count")).isEqualTo(3);
    assertThat(event.getExtension("big")).isEqualTo(5_000_000_000L);
    assertThat(tree(event).get("flag").isBoolean()).isTrue();
    assertThat(tree(event).get("count").isInt()).isTrue();
    assertThat(Records.text(EventWriter.binary().write("t", event), "ce_flag")).isEqualTo("true");
  }

  @Test
  void inBinaryModeUnknownMembersBecomeHeadersWithTheirContent() {
    Event event = read(",\"nested\":{\"a\":1},\"gone\":null,\"My-Ext\":\"text\"");
    ProducerRecord<byte[], byte[]> record = EventWriter.binary().write("t", event);

    assertThat(Records.text(record, "ce_nested")).isEqualTo("{\"a\":1}");
    assertThat(Records.text(record, "ce_My-Ext")).isEqualTo("text");
    assertThat(Records.lines(record.headers())).contains("ce_gone=null");
  }

  @Test
  void anAttributeThatACopySetsReplacesTheUnknownMember() throws IOException {
    Event event = read(",\"subject\":null,\"nested\":{\"a\":1},\"other\":[1]");
    Event copy =
        event.toBuilder().subject("s").extension("nested", "n").extension("other", null).build();

    assertThat(tree(copy).get("subject").textValue()).isEqualTo("s");
    assertThat(tree(copy).get("nested").textValue()).isEqualTo("n");
    assertThat(tree(copy).has("other")).isFalse();
    assertThat(Records.count(EventWriter.binary().write("t", copy), "ce_nested")).isOne();
  }

  @Test
  void headersBesideTheEventSurviveAndMirrorsFollowTheEvent() {
    Event event =
        Records.structured("{" + REQUIRED + "}")
            .header("ce_id", "1")
            .header("ce_id", "1")
            .header("ce_My-Ext", "x")
            .header("ce_other", "y")
            .header("h", "v")
            .nullHeader("h")
            .read();
    assertThat(event.foreignHeaders())
        .extracting(h -> h.key())
        .containsExactly("ce_My-Ext", "ce_other", "h", "h");

    ProducerRecord<byte[], byte[]> copy = again(event.toBuilder().id("2").build());
    assertThat(Records.count(copy, "ce_id")).isOne();
    assertThat(Records.text(copy, "ce_id")).isEqualTo("2");
    assertThat(Records.text(copy, "ce_other")).isEqualTo("y");
    assertThat(Records.count(copy, "content-type")).isOne();
  }

  @Test
  void theTypedAttributesAreReadFromJsonToo() {
    Event event =
        read(
            """
            ,"entityversion":12,"occurredat":"2026-01-01T00:00:00Z","partitionkey":"p",
            "correlationid":"c","causationid":"b","expirytime":"2026-01-02T00:00:00Z"
            """);

    assertThat(event.entityVersion()).hasValue(12);
    assertThat(event.occurredAt()).get().asString().isEqualTo("2026-01-01T00:00Z");
    assertThat(event.expiryTime()).get().asString().isEqualTo("2026-01-02T00:00Z");
    assertThat(event.entityKey()).contains("p");
    assertThat(event.correlationId()).contains("c");
    assertThat(event.causationId()).contains("b");
    assertThat(read(",\"entityversion\":\"12\"").entityVersion()).hasValue(12);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | member specversion is missing",
        "{} | member id is missing",
        "[] | one event a record",
        "\"x\" | no JSON object",
        "'' | no JSON object",
        "{\"id\" | not readable JSON at line 1",
        "{\"specversion\":\"1.0\",\"id\":7,\"source\":\"s\",\"type\":\"t\"} | member id is no JSON string",
        "{\"specversion\":\"1.0\",\"id\":\"\",\"source\":\"s\",\"type\":\"t\"} | id is blank",
        "{\"specversion\":\"1.0\",\"id\":null,\"source\":\"s\",\"type\":\"t\"} | member id is missing",
        "{\"specversion\":\"0.3\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\"} | specversion is not 1.0",
        "{\"specversion\":1.0,\"id\":\"1\",\"source\":\"s\",\"type\":\"t\"} | member specversion is no JSON string",
        "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"\\ud800\"} | member type is no JSON string",
      })
  void whatIsNoEventIsNamedWithItsPlace(String json, String problem) {
    assertThatThrownBy(() -> Records.structured(json).read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("Record orders-3@42")
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ",\"subject\":{} | member subject is no JSON string",
        ",\"subject\":1 | member subject is no JSON string",
        ",\"datacontenttype\":[] | member datacontenttype is no JSON string",
        ",\"time\":\"soon\" | time is not an RFC 3339",
        ",\"time\":17 | member time is no JSON string",
        ",\"entityversion\":1.5 | member entityversion is no JSON integer",
        ",\"entityversion\":\"x\" | entityversion is not a decimal integer",
        ",\"entityversion\":true | entityversion is not a decimal integer",
        ",\"partitionkey\":{} | member partitionkey is no JSON string",
        ",\"data_base64\":\"*\" | data_base64 is no base64",
        ",\"data_base64\":1 | data_base64 is no JSON string",
        ",\"data_base64\":\"AA==\",\"data\":1 | both data and data_base64",
      })
  void aMalformedMemberIsAnErrorNotAHalfReadEvent(String members, String problem) {
    assertThatThrownBy(() -> read(members))
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void errorsDoNotQuoteTheContent() {
    assertThatThrownBy(() -> Records.structured("{\"id\": secretword }").read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("line 1, column")
        .hasMessageNotContaining("secretword")
        .hasNoCause();
  }

  @Test
  void aNullValueOrAnotherEncodingIsAClearError() {
    assertThatThrownBy(
            () -> Records.record().header("content-type", "application/cloudevents+json").read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("the value is null");
    assertThatThrownBy(
            () ->
                Records.record()
                    .header("content-type", "application/cloudevents+json")
                    .value(("{" + REQUIRED + "}").getBytes(UTF_16))
                    .read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("not in UTF-8");
    assertThatThrownBy(
            () ->
                Records.record()
                    .header("content-type", "application/cloudevents+json; charset=iso-8859-1")
                    .value("{}")
                    .read())
        .isInstanceOf(EventFormatException.class)
        .hasMessageContaining("not in UTF-8");
  }

  @Test
  void aByteOrderMarkDoesNotShiftTheData() {
    Event event =
        Records.structured("\uFEFF {" + REQUIRED + ", \"data\" : {\"é\":\"ü\"} , \"x\":\"é\"}")
            .read();

    assertThat(event.payload()).asString(UTF_8).isEqualTo("{\"é\":\"ü\"}");
    assertThat(event.getExtension("x")).isEqualTo("é");
  }

  @Test
  void ofARepeatedMemberTheLastCounts() {
    Event event = read(",\"id\":\"2\",\"x\":{},\"x\":\"s\",\"y\":\"s\",\"y\":[1]");

    assertThat(event.getId()).isEqualTo("2");
    assertThat(event.getExtension("x")).isEqualTo("s");
    assertThat(event.getExtension("y")).isNull();
  }

  @Test
  void aLargeEventIsReadAcrossAllBufferBoundaries() {
    String data = "[" + "\"é\\n漢𝄞\",".repeat(20_000) + "1]";
    assertThat(read(",\"a\":\"b\",\"data\":  " + data + ",\"z\":1").payload())
        .asString(UTF_8)
        .isEqualTo(data);
  }
}
