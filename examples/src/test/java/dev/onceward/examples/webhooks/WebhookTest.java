package dev.onceward.examples.webhooks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.envelope.Event;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WebhookTest {

  private static final String CONTENT = "s3cret";

  static Stream<Arguments> brokenLines() {
    return Stream.of(
        Arguments.of("{\"event\": \"push\", \"payload\": {\"a\": \"s3cret", "end-of-input"),
        Arguments.of("s3cret", "Unrecognized token"),
        Arguments.of("{s3cret: 1}", "Unexpected character"),
        Arguments.of("{\"event\": 's3cret'}", "Unexpected character"),
        Arguments.of("{\"event\": \"push\", \"payload\": {\"a\": \"s3cret\" \"b\"}}", "character"),
        Arguments.of("{\"event\": \"push\", \"payload\": {\"s3cret\": 1, \"s3cret\": 2}}", "Dupl"),
        Arguments.of("{\"event\": \"push\", \"payload\": {}} s3cret", "Unrecognized token"),
        Arguments.of("{\"event\": \"push\", \"payload\": {}} {\"s3cret\": 1}", "Trailing token"),
        Arguments.of("{\"event\": \"push\", \"payload\": {}} \"s3cret\"", "Trailing token"),
        Arguments.of("{\"event\": \"push\", \"payload\": {\"a\": \"s3cret\t\"}}", "unquoted"),
        Arguments.of("{\"event\": \"push\", \"payload\": {\"s3cret\": NaN}}", "Non-standard token"),
        Arguments.of(
            "{\"event\": \"push\", \"payload\": {\"s3cret\": 1.}}", "Unexpected character"),
        Arguments.of("{\"event\": \"push\", \"payload\": {\"s3cret\": 01}}", "Invalid numeric"),
        Arguments.of("{\"event\": \"push\", \"payload\": {\"a\": \"\\s3cret\"}}", "escape"),
        Arguments.of(
            "{\"event\": \"push\", \"payload\": {\"s3cret\": " + "9".repeat(1_001) + "}}",
            "Number value length"),
        Arguments.of(
            "{\"event\": \"push\", \"payload\": {\"s3cret\": "
                + "[".repeat(1_000)
                + "]".repeat(1_000)
                + "}}",
            "nesting depth"),
        Arguments.of("[{\"event\": \"s3cret\"}]", "not a JSON object"),
        Arguments.of("\"s3cret\"", "not a JSON object"),
        Arguments.of("null", "not a JSON object"),
        Arguments.of("17", "not a JSON object"),
        Arguments.of("{\"payload\": {\"a\": \"s3cret\"}}", "\"event\" is missing"),
        Arguments.of("{\"event\": null, \"payload\": {}}", "\"event\" is missing or no text"),
        Arguments.of("{\"event\": {\"s3cret\": 1}, \"payload\": {}}", "\"event\" is missing or no"),
        Arguments.of("{\"event\": \"\", \"payload\": {}}", "\"event\" is no name"),
        Arguments.of("{\"event\": \"Pull s3cret\", \"payload\": {}}", "\"event\" is no name"),
        Arguments.of("{\"event\": \"push\", \"Payload\": \"s3cret\"}", "\"payload\" is missing"),
        Arguments.of("{\"event\": \"push\", \"payload\": \"s3cret\"}", "\"payload\" is missing or"),
        Arguments.of("{\"event\": \"push\", \"payload\": [\"s3cret\"]}", "\"payload\" is missing"),
        Arguments.of(
            "{\"event\": \"push\", \"payload\": {\"sender\": {\"login\": \"s3cret\\ud800\"}}}",
            "half of a surrogate pair"),
        Arguments.of(
            "{\"event\": \"push\", \"payload\": {\"sender\": {\"login\": \"s3cret\\u0000\"}}}",
            "control character"),
        Arguments.of(
            "{\"event\": \"push\", \"payload\": {\"action\": \"s3cret!\"}}",
            "\"payload.action\" is no name"));
  }

  @ParameterizedTest
  @MethodSource("brokenLines")
  void aBrokenLineIsRefusedWithTheReasonAndWithoutItsContent(String line, String reason) {
    assertThatThrownBy(() -> Webhook.parse(line.getBytes(UTF_8)))
        .isInstanceOf(InvalidWebhookException.class)
        .hasNoCause()
        .hasMessageContaining(reason)
        .satisfies(
            refused ->
                assertThat(refused.getMessage())
                    .doesNotContain(CONTENT)
                    .doesNotContainPattern("\\R")
                    .doesNotContain("com.fasterxml")
                    .hasSizeLessThan(200));
  }

  @Test
  void bytesThatAreNoUtf8AreRefused() {
    byte[] line =
        "{\"event\": \"push\", \"payload\": {\"s3cret\": \"caf\u00e9\"}}".getBytes(ISO_8859_1);

    assertThatThrownBy(() -> Webhook.parse(line))
        .isInstanceOf(InvalidWebhookException.class)
        .hasMessageContaining("UTF-8")
        .hasMessageNotContaining(CONTENT);
  }

  @Test
  void theReasonNamesTheColumn() {
    assertThatThrownBy(() -> Webhook.parse("{\"event\": ?}".getBytes(UTF_8)))
        .hasMessage("not JSON: Unexpected character at column 11");
  }

  @Test
  void theTypeIsMadeOfEventAndAction() {
    assertThat(event("{\"event\": \"push\", \"payload\": {}}").getType())
        .isEqualTo("com.github.push.v1");
    assertThat(
            event("{\"event\": \"pull_request\", \"payload\": {\"action\": \"review_requested\"}}")
                .getType())
        .isEqualTo("com.github.pull_request.review_requested.v1");
    assertThat(event("{\"event\": \"push\", \"payload\": {\"action\": 3}}").getType())
        .isEqualTo("com.github.push.v1");
  }

  @Test
  void theKeyIsTheRepositoryElseTheOrganisationElseTheSenderElseTheEvent() {
    String sender = "\"sender\": {\"login\": \"ada\"}";
    String organisation = "\"organization\": {\"login\": \"acme\"}";
    String repository = "\"repository\": {\"full_name\": \"acme/shop\"}";

    assertThat(key(sender, repository, organisation)).isEqualTo("acme/shop");
    assertThat(key(sender, organisation)).isEqualTo("acme");
    assertThat(key(sender)).isEqualTo("ada");
    assertThat(key("\"zen\": \"Keep it simple.\"")).isEqualTo("ping");
    assertThat(key("\"repository\": {\"full_name\": \" \"}", sender)).isEqualTo("ada");
    assertThat(key("\"repository\": {\"full_name\": null}", organisation)).isEqualTo("acme");
    assertThat(key("\"repository\": \"acme/shop\"", organisation)).isEqualTo("acme");
  }

  @Test
  void theSameContentHasTheSameIdInWhateverOrderAndWithWhateverWhitespace() {
    List<String> same =
        List.of(
            "{\"event\":\"push\",\"payload\":{\"a\":1,\"b\":{\"x\":[1,2],\"y\":\"\u00e9\"}}}",
            "{\"payload\":{\"b\":{\"y\":\"\u00e9\",\"x\":[1,2]},\"a\":1},\"event\":\"push\"}",
            "  { \"event\" : \"push\",\t\"payload\" : {\"a\": 1 , \"b\": {\"x\": [ 1, 2 ],"
                + " \"y\": \"\\u00e9\"} } }  ",
            "{\"event\":\"push\",\"payload\":{\"a\":1,\"b\":{\"x\":[1,2],\"y\":\"\u00e9\"}},"
                + "\"received\":\"later\"}");

    assertThat(same.stream().map(line -> event(line).getId()).distinct()).hasSize(1);
  }

  @Test
  void differentContentHasDifferentIds() {
    List<String> different =
        List.of(
            "{\"event\":\"push\",\"payload\":{\"a\":1}}",
            "{\"event\":\"ping\",\"payload\":{\"a\":1}}",
            "{\"event\":\"push\",\"payload\":{\"a\":2}}",
            "{\"event\":\"push\",\"payload\":{\"a\":\"1\"}}",
            "{\"event\":\"push\",\"payload\":{\"a\":[1]}}",
            "{\"event\":\"push\",\"payload\":{\"a\":[1,2]}}",
            "{\"event\":\"push\",\"payload\":{\"a\":[2,1]}}",
            "{\"event\":\"push\",\"payload\":{\"a\":null}}",
            "{\"event\":\"push\",\"payload\":{}}",
            "{\"event\":\"push\",\"payload\":{\"b\":1}}",
            "{\"event\":\"push\",\"payload\":{\"a\":9007199254740993}}",
            "{\"event\":\"push\",\"payload\":{\"a\":9007199254740992}}",
            "{\"event\":\"push\",\"payload\":{\"a\":0.1}}",
            "{\"event\":\"push\",\"payload\":{\"a\":0.10000000000000001}}",
            "{\"event\":\"push\",\"payload\":{\"a\":1e400}}",
            "{\"event\":\"push\",\"payload\":{\"a\":1e401}}");
    Set<String> ids = new LinkedHashSet<>();

    different.forEach(line -> ids.add(event(line).getId()));

    assertThat(ids).hasSameSizeAs(different).allMatch(id -> id.matches("[0-9a-f]{32}"));
  }

  @Test
  void theEventCarriesThePayloadAndIsKeyed() throws IOException {
    String payload =
        "{\"repository\": {\"full_name\": \"acme/shop\"}, \"n\": 12345678901234567890}";

    Event event = event("{\"event\": \"push\", \"payload\": " + payload + "}");

    assertThat(event.entityKey()).contains("acme/shop");
    assertThat(event.getSubject()).isEqualTo("acme/shop");
    assertThat(event.getDataContentType()).isEqualTo("application/json");
    assertThat(event.getSource()).hasToString("https://api.github.com/webhooks");
    JsonNode data = new ObjectMapper().readTree(Objects.requireNonNull(event.payload()));
    assertThat(data).isEqualTo(new ObjectMapper().readTree(payload));
  }

  private static String key(String... fields) {
    String payload = String.join(", ", Arrays.asList(fields));
    return event("{\"event\": \"ping\", \"payload\": {" + payload + "}}").entityKey().orElseThrow();
  }

  private static Event event(String line) {
    try {
      return Webhook.parse(line.getBytes(UTF_8)).toEvent();
    } catch (InvalidWebhookException e) {
      throw new AssertionError(e);
    }
  }
}
