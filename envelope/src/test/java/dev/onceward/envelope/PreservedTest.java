package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PreservedTest {
  private static final PayloadMapper MAPPER = JacksonPayloadMapper.standard();

  record Address(String city) {}

  record Line(String sku, int quantity) {}

  record Order(
      String id,
      Optional<String> note,
      double price,
      Instant at,
      Address address,
      List<Line> lines) {

    Order withCity(String city) {
      return new Order(id, note, price, at, new Address(city), lines);
    }

    Order withLines(List<Line> changed) {
      return new Order(id, note, price, at, address, changed);
    }
  }

  private static final String JSON =
      """
      {"id":"1","future":{"x":[1,2]},"price":1.50,"at":"2026-01-01T00:00:00.000Z",
       "address":{"city":"Oslo","zip":"0150"},
       "lines":[{"sku":"a","quantity":1,"gift":true},{"sku":"b","quantity":2,"tags":["t"]}]}
      """;

  @SuppressWarnings("unchecked") // The type is what was asked for.
  private static Preserved<Order> read(String json) {
    Event event =
        Event.builder()
            .source("/s")
            .type("t")
            .data(json.getBytes(UTF_8), "application/json")
            .build();
    return (Preserved<Order>)
        MAPPER.read(event, new TypeReference<Preserved<Order>>() {}.getType());
  }

  private static JsonNode write(Preserved<?> preserved) throws IOException {
    return new ObjectMapper().readTree(MAPPER.write(preserved));
  }

  private static JsonNode tree(String json) throws IOException {
    return new ObjectMapper().readTree(json);
  }

  @Test
  void whatIsNotChangedIsWrittenAsItWas() throws IOException {
    assertThat(write(read(JSON))).isEqualTo(tree(JSON));
    assertThat(new String(MAPPER.write(read(JSON)), UTF_8))
        .contains("\"price\":1.50", "00.000Z")
        .doesNotContain("note");
  }

  @Test
  void unknownFieldsSurviveAChangeInNestedObjectsToo() throws IOException {
    Preserved<Order> order = read(JSON);
    Preserved<Order> moved = order.withValue(order.value().withCity("Bergen"));

    assertThat(write(moved)).isEqualTo(tree(JSON.replace("Oslo", "Bergen")));
    assertThat(write(order)).isEqualTo(tree(JSON));
  }

  @Test
  void aChangedElementKeepsItsUnknownFields() throws IOException {
    Preserved<Order> order = read(JSON);
    List<Line> lines = List.of(new Line("a", 7), order.value().lines().get(1));

    assertThat(write(order.withValue(order.value().withLines(lines))))
        .isEqualTo(tree(JSON.replace("\"quantity\":1", "\"quantity\":7")));
  }

  @Test
  void elementsThatMovedKeepTheirUnknownFieldsAndNewOnesGetNone() throws IOException {
    Preserved<Order> order = read(JSON);
    List<Line> lines =
        List.of(new Line("c", 3), order.value().lines().get(1), order.value().lines().get(0));
    JsonNode written = write(order.withValue(order.value().withLines(lines))).get("lines");

    assertThat(written)
        .isEqualTo(
            tree(
                """
                [{"sku":"c","quantity":3},{"sku":"b","quantity":2,"tags":["t"]},
                 {"sku":"a","quantity":1,"gift":true}]
                """));
  }

  @Test
  void anAddedAndARemovedOptionalAreWrittenSo() throws IOException {
    Preserved<Order> order = read(JSON);
    Order value = order.value();
    Preserved<Order> noted =
        order.withValue(
            new Order(
                value.id(),
                Optional.of("n"),
                value.price(),
                value.at(),
                value.address(),
                value.lines()));
    assertThat(write(noted).get("note").textValue()).isEqualTo("n");

    Preserved<Order> again = read(new String(MAPPER.write(noted), UTF_8));
    assertThat(write(again.withValue(value)).get("note").isNull()).isTrue();
    assertThat(write(again.withValue(value)).get("future")).isEqualTo(tree(JSON).get("future"));
  }

  @Test
  void aNewValueIsWrittenAsItIs() throws IOException {
    assertThat(write(Preserved.of(new Address("Oslo")))).isEqualTo(tree("{\"city\":\"Oslo\"}"));
    assertThat(Preserved.of(new Address("Oslo")).original().isMissingNode()).isTrue();
  }

  @Test
  void theOriginalThatIsHandedOutIsACopy() throws IOException {
    Preserved<Order> order = read(JSON);
    ((com.fasterxml.jackson.databind.node.ObjectNode) order.original()).removeAll();

    assertThat(write(order)).isEqualTo(tree(JSON));
    assertThat(order.toString()).doesNotContain("Oslo");
  }

  @Test
  void jsonNullIsNoPreservedValue() {
    assertThatThrownBy(() -> read("null"))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("JSON null");
  }
}
