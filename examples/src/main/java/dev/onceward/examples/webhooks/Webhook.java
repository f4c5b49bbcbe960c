package dev.onceward.examples.webhooks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.onceward.envelope.Event;
import java.io.IOException;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One recorded webhook delivery: {@code {"event": name, "payload": {...}}}.
 *
 * @param event the event's name, such as {@code pull_request}
 * @param payload what was delivered
 */
record Webhook(String event, JsonNode payload) {

  private static final URI SOURCE = URI.create("https://api.github.com/webhooks");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]+(?:[_-][a-z0-9]+)*");

  /** Numbers are kept exactly and keys are sorted, so that equal content has equal text. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  /**
   * Reads one line.
   *
   * @throws InvalidWebhookException if it is none; the message is the reason and shows no content
   */
  static Webhook parse(byte[] line) throws InvalidWebhookException {
    JsonNode root;
    try {
      root = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new InvalidWebhookException("not JSON: " + reason(e));
    } catch (IOException e) {
      throw new InvalidWebhookException("not UTF-8: " + e.getMessage());
    }
    if (!root.isObject()) {
      throw new InvalidWebhookException("not a JSON object");
    }
    JsonNode event = root.path("event");
    if (!event.isTextual()) {
      throw new InvalidWebhookException("\"event\" is missing or no text");
    }
    checkName("event", event.asText());
    JsonNode payload = root.path("payload");
    if (!payload.isObject()) {
      throw new InvalidWebhookException("\"payload\" is missing or no object");
    }
    JsonNode action = payload.path("action");
    if (action.isTextual()) {
      checkName("payload.action", action.asText());
    }
    Webhook webhook = new Webhook(event.asText(), payload);
    try {
      // JSON can spell text that is none; it must not end the run when the event is published
      webhook.toEvent();
    } catch (IllegalArgumentException e) {
      throw new InvalidWebhookException("no event can be made of it: " + e.getMessage());
    }
    return webhook;
  }

  private static void checkName(String where, String name) throws InvalidWebhookException {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidWebhookException(
          "\"" + where + "\" is no name of lower-case letters, digits, _ and -");
    }
  }

  private static String reason(JsonProcessingException e) {
    String where =
        e.getLocation() == null ? "" : " at column " + Math.max(1, e.getLocation().getColumnNr());
    String message = String.valueOf(e.getOriginalMessage());
    // the parser quotes what it met; the first words say what was wrong
    String kind = message.split("[('\\[:\\r\\n]", 2)[0].strip();
    return kind + where;
  }

  /** The delivery as an event; the same content always gives the same id. */
  Event toEvent() {
    return Event.builder()
        .id(contentId())
        .source(SOURCE)
        .type(type())
        .subject(key())
        .data(bytes(payload), "application/json")
        .build();
  }

  /** {@code com.github.<event>[.<action>].v1}. */
  String type() {
    JsonNode action = payload.path("action");
    return "com.github." + event + (action.isTextual() ? "." + action.asText() : "") + ".v1";
  }

  /** The repository, else the organisation, else the sender, else the event's name. */
  String key() {
    return Stream.of(
            payload.path("repository").path("full_name"),
            payload.path("organization").path("login"),
            payload.path("sender").path("login"))
        .filter(name -> name.isTextual() && !name.asText().isBlank())
        .map(JsonNode::asText)
        .findFirst()
        .orElse(event);
  }

  /** 128 bits of SHA-256 over the content in canonical form. */
  private String contentId() {
    Object sorted =
        JSON.convertValue(
            JSON.createObjectNode().put("event", event).set("payload", payload), Object.class);
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes(sorted));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static byte[] bytes(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("what was parsed can be written", e);
    }
  }
}
