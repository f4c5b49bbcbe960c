package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JacksonPayloadMapperTest {
  private static final PayloadMapper MAPPER = JacksonPayloadMapper.standard();

  record Line(String sku, int quantity) {}

  record Order(
      String id,
      Optional<String> note,
      @Nullable String customer,
      int count,
      boolean paid,
      List<Line> lines) {}

  record Times(
      Instant instant, OffsetDateTime offset, LocalDate date, Duration duration, UUID uuid) {}

  record Guarded(int amount) {
    Guarded {
      if (amount < 0) {
        throw new IllegalArgumentException("secret amount " + amount);
      }
    }
  }

  record Broken(String name) {
    @Override
    public String name() {
      throw new IllegalStateException("secret");
    }
  }

  private static Event event(String data) {
    return event(data, "application/json");
  }

  private static Event event(String data, String contentType) {
    return Event.builder()
        .id("e-1")
        .source("/s")
        .type("com.acme.orders.placed.v1")
        .data(data.getBytes(UTF_8), contentType)
        .build();
  }

  private static Event tombstone() {
    return Event.builder().id("e-1").source("/s").type("t").build();
  }

  private static Type type(TypeReference<?> reference) {
    return reference.getType();
  }

  @Test
  void unknownFieldsAreIgnoredAndMissingOnesGetTheirDefault() {
    assertThat(MAPPER.read(event("{\"id\":\"1\",\"new\":{\"a\":[1]}}"), Order.class))
        .usingRecursiveComparison()
        .isEqualTo(new OrderDefaults("1", Optional.empty(), null, 0, false, null));
  }

  record OrderDefaults(
      String id,
      Optional<String> note,
      @Nullable String customer,
      int count,
      boolean paid,
      @Nullable List<Line> lines) {}

  @Test
  void timesAreIsoStringsAndKeepTheirOffset() {
    Times times =
        new Times(
            Instant.parse("2026-01-01T00:00:00.123456789Z"),
            OffsetDateTime.parse("2026-01-01T00:00:00+02:00"),
            LocalDate.parse("2026-01-01"),
            Duration.ofMillis(1_500),
            new UUID(1, 2));
    byte[] json = MAPPER.write(times);

    assertThat(json)
        .asString(UTF_8)
        .contains("\"2026-01-01T00:00:00.123456789Z\"", "+02:00", "\"2026-01-01\"", "\"PT1.5S\"");
    assertThat(MAPPER.read(event(new String(json, UTF_8)), Times.class)).isEqualTo(times);
  }

  @Test
  void bytesTextAndTreesAreTargetsToo() {
    Event event = event("{\"a\":1.10}");

    assertThat(MAPPER.read(event, byte[].class)).isSameAs(event.payload());
    assertThat(MAPPER.read(event, String.class)).isEqualTo("{\"a\":1.10}");
    assertThat(((JsonNode) MAPPER.read(event, JsonNode.class)).get("a").decimalValue())
        .isEqualTo(new BigDecimal("1.10"));
    assertThat(MAPPER.read(event, type(new TypeReference<Map<String, BigDecimal>>() {})))
        .isEqualTo(Map.of("a", new BigDecimal("1.10")));
  }

  @Test
  void textIsReadByItsCharsetWhateverTheContentType() {
    Event latin =
        Event.builder()
            .source("/s")
            .type("t")
            .data("é".getBytes(ISO_8859_1), "text/csv; charset=ISO-8859-1")
            .build();

    assertThat(MAPPER.read(latin, String.class)).isEqualTo("é");
    assertThatThrownBy(
            () ->
                MAPPER.read(
                    latin.toBuilder().data(new byte[] {(byte) 0xE9}, "text/csv").build(),
                    String.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("no text in UTF-8");
    assertThatThrownBy(() -> MAPPER.read(event("x", "text/csv; charset=klingon"), String.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("charset of its content type is not known");
  }

  @Test
  void aTombstoneIsAnEmptyOptionalAndNullWhereNullIsAllowed() {
    Type optional = type(new TypeReference<Optional<Order>>() {});

    assertThat(MAPPER.read(tombstone(), optional)).isEqualTo(Optional.empty());
    assertThat(MAPPER.readOrNull(tombstone(), optional)).isEqualTo(Optional.empty());
    assertThat(MAPPER.readOrNull(tombstone(), Order.class)).isNull();
    assertThat(MAPPER.read(event(" null "), optional)).isEqualTo(Optional.empty());
    assertThat(
            MAPPER.read(event("{\"amount\":1}"), type(new TypeReference<Optional<Guarded>>() {})))
        .isEqualTo(Optional.of(new Guarded(1)));
    assertThatThrownBy(() -> MAPPER.read(tombstone(), Order.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("event e-1 (t)")
        .hasMessageContaining("has no data (a tombstone): read it as Optional");
    assertThatThrownBy(() -> MAPPER.read(event("null"), Order.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("JSON null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"id\":\"secret\",\"count\":\"secret\"} | at $.count (line 1, column",
        "{\"lines\":[{\"sku\":\"a\"},{\"quantity\":\"secret\"}]} | at $.lines[1].quantity",
        "{\"lines\":\"secret\"} | the value does not fit java.util.",
        "{\"id\":secret} | it is not well-formed JSON",
        "{\"id\":\"1\"} secret | it is not well-formed JSON",
        "{\"id\":\"1\"}{} | the value does not fit",
        "`` | the value does not fit",
        "[\"secret\"] | the value does not fit",
      })
  void whatDoesNotFitIsNamedByPlaceAndNeverByContent(String data, String problem) {
    assertThatThrownBy(() -> MAPPER.read(event(data), Order.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Data of event e-1 (com.acme.orders.placed.v1) cannot be read as")
        .hasMessageContaining("JacksonPayloadMapperTest$Order")
        .hasMessageContaining(problem)
        .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret"));
  }

  @Test
  void theKeysOfAMapAreContentToo() {
    assertThatThrownBy(
            () ->
                MAPPER.read(
                    event("{\"secret@mail\":{\"amount\":\"x\"}}"),
                    type(new TypeReference<Map<String, Guarded>>() {})))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("$.*.amount")
        .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret"));
  }

  @Test
  void aFailingConstructorIsNamedWithItsStackButWithoutItsMessage() {
    assertThatThrownBy(() -> MAPPER.read(event("{\"amount\":-5}"), Guarded.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("the constructor of " + Guarded.class.getName())
        .hasMessageContaining("failed with java.lang.IllegalArgumentException")
        .satisfies(
            e ->
                assertThat(stackTrace(e))
                    .contains("JacksonPayloadMapperTest$Guarded.<init>")
                    .doesNotContain("secret"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/avro", "text/plain", "application/xml"})
  void dataThatIsNotJsonIsRefusedByItsContentType(String contentType) {
    assertThatThrownBy(() -> MAPPER.read(event("{}", contentType), Order.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("its content type is " + contentType);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"application/json; charset=utf-8", "APPLICATION/JSON", "application/x.acme+json"})
  void everyJsonContentTypeIsRead(String contentType) {
    assertThat(MAPPER.read(event("{\"amount\":1}", contentType), Guarded.class))
        .isEqualTo(new Guarded(1));
    assertThat(MAPPER.read(Records.event().value("{\"amount\":1}").read(), Guarded.class))
        .isEqualTo(new Guarded(1));
  }

  @Test
  void yourOwnObjectMapperDecidesAndLaterChangesToItDoNot() {
    ObjectMapper own =
        new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
    PayloadMapper mapper = JacksonPayloadMapper.with(own);
    own.setPropertyNamingStrategy(PropertyNamingStrategies.LOWER_CAMEL_CASE);

    record Snake(int bigNumber) {}
    assertThat(mapper.write(new Snake(1))).asString(UTF_8).isEqualTo("{\"big_number\":1}");
    assertThatThrownBy(() -> mapper.read(event("{\"secret\":1}"), Snake.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("a field is not known to the target");
    assertThatThrownBy(() -> mapper.read(event("{\"big_number\":1} 2"), Snake.class))
        .isInstanceOf(PayloadException.class);
  }

  @Test
  void aPayloadThatCannotBeWrittenIsNamedByItsClass() {
    assertThatThrownBy(() -> MAPPER.write(new Broken("x")))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining(Broken.class.getName())
        .hasMessageContaining("at $.name")
        .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret"));
  }

  interface NoWayIn {}

  @Test
  void aClassThatCanNeverBeMappedIsToldHowItCould() {
    Event event =
        Event.builder()
            .source("/s")
            .type("com.acme.x.v1")
            .data("{}".getBytes(StandardCharsets.UTF_8), "application/json")
            .build();
    assertThatThrownBy(() -> JacksonPayloadMapper.standard().read(event, NoWayIn.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("NoWayIn cannot be mapped")
        .hasMessageContaining("record");
    assertThatThrownBy(() -> JacksonPayloadMapper.standard().write(new Object()))
        .hasMessageContaining("java.lang.Object cannot be mapped");
  }

  @Test
  void theBuilderWritesDataWithTheMapper() {
    Event event = Event.builder().source("/s").type("t").data(new Guarded(3), MAPPER).build();

    assertThat(event.getDataContentType()).isEqualTo("application/json");
    assertThat(event.payload()).asString(UTF_8).isEqualTo("{\"amount\":3}");
  }

  private static String stackTrace(Throwable e) {
    StringWriter out = new StringWriter();
    e.printStackTrace(new PrintWriter(out));
    return out.toString();
  }
}
