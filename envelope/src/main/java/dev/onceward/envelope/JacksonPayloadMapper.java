package dev.onceward.envelope;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.onceward.envelope.internal.JacksonFailures;
import dev.onceward.envelope.internal.MediaTypes;
import dev.onceward.envelope.internal.PreservingMerge;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON data with Jackson. Thread-safe.
 *
 * <p>{@link #standard()} ignores unknown fields; a missing optional field is an empty {@code
 * Optional}, null, or a primitive's zero; {@code java.time} values are ISO 8601 strings. Whatever
 * the configuration, anything after the JSON value is refused.
 *
 * <p>Besides every type that Jackson can map, the target may be
 *
 * <ul>
 *   <li>{@code byte[]}: the data bytes, not copied, whatever the content type;
 *   <li>{@code String}: the data as text by its charset (UTF-8 by default), not a decoded JSON
 *       string;
 *   <li>{@code JsonNode}: the tree, with exact decimals;
 *   <li>{@link Preserved Preserved&lt;T&gt;}: a {@code T} that keeps the fields it does not know;
 *   <li>{@code Optional<T>}: empty when there is no data (a tombstone) or it is JSON null; every
 *       other target then fails, or is null by {@link #readOrNull}.
 * </ul>
 *
 * <p>Data whose content type is not JSON is refused, except for the first two; data without content
 * type is taken for JSON.
 */
public final class JacksonPayloadMapper implements PayloadMapper {
  private static final String CONTENT_TYPE = "application/json";

  private final ObjectMapper mapper;
  private final ObjectReader reader;
  private final ObjectReader trees;
  private final ObjectWriter writer;

  private JacksonPayloadMapper(ObjectMapper mapper) {
    this.mapper = mapper;
    this.reader = mapper.reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    this.trees =
        reader
            .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    this.writer = mapper.writer();
  }

  /** The mapper with the settings above. */
  public static JacksonPayloadMapper standard() {
    return new JacksonPayloadMapper(
        JsonMapper.builder()
            .addModules(new Jdk8Module(), new JavaTimeModule())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build());
  }

  /** A mapper with your settings. The object mapper is copied. */
  public static JacksonPayloadMapper with(ObjectMapper mapper) {
    return new JacksonPayloadMapper(mapper.copy());
  }

  @Override
  public Object read(Event event, Type type) throws PayloadException {
    JavaType target = mapper.constructType(type);
    if (target.hasRawClass(Optional.class)) {
      return optional(event, target);
    }
    byte[] data = event.payload();
    if (data == null) {
      throw failure(
          event,
          target,
          "the event has no data (a tombstone): read it as Optional, or take the Event itself",
          null);
    }
    if (target.hasRawClass(byte[].class)) {
      return data;
    }
    if (target.hasRawClass(String.class)) {
      return text(event, target, data);
    }
    requireJson(event, target);
    try {
      Object value =
          target.hasRawClass(Preserved.class) ? preserved(target, data) : json(target, data);
      if (value == null) {
        throw failure(event, target, "the data is JSON null: read it as Optional", null);
      }
      return value;
    } catch (IOException | IllegalArgumentException bad) {
      throw failure(
          event, target, JacksonFailures.describe(bad), JacksonFailures.withoutMessage(bad));
    }
  }

  @Override
  public byte[] write(Object payload) throws PayloadException {
    try {
      if (payload instanceof byte[] bytes) {
        return bytes.clone();
      }
      if (payload instanceof Preserved<?> preserved) {
        JsonNode merged =
            PreservingMerge.merge(
                preserved.originalTree(),
                preserved.baselineTree(),
                mapper.valueToTree(preserved.value()));
        return writer.writeValueAsBytes(merged);
      }
      return writer.writeValueAsBytes(payload);
    } catch (IOException | IllegalArgumentException bad) {
      throw new PayloadException(
          "Payload %s cannot be written as JSON: %s"
              .formatted(payload.getClass().getName(), JacksonFailures.describe(bad)),
          JacksonFailures.withoutMessage(bad));
    }
  }

  @Override
  public String contentType() {
    return CONTENT_TYPE;
  }

  private Object optional(Event event, JavaType target) {
    byte[] data = event.payload();
    JavaType content = target.containedTypeOrUnknown(0);
    boolean raw = content.hasRawClass(byte[].class) || content.hasRawClass(String.class);
    return data == null || (!raw && isJsonNull(data))
        ? Optional.empty()
        : Optional.of(read(event, content));
  }

  private static boolean isJsonNull(byte[] data) {
    return data.length < 64 && new String(data, StandardCharsets.UTF_8).strip().equals("null");
  }

  private @Nullable Object json(JavaType target, byte[] data) throws IOException {
    return JsonNode.class.isAssignableFrom(target.getRawClass())
        ? trees.forType(target).readValue(data)
        : reader.forType(target).readValue(data);
  }

  private @Nullable Object preserved(JavaType target, byte[] data) throws IOException {
    JsonNode original = trees.readTree(data);
    Object value = reader.forType(target.containedTypeOrUnknown(0)).readValue(data);
    return value == null ? null : new Preserved<>(value, original, mapper.valueToTree(value));
  }

  private static String text(Event event, JavaType target, byte[] data) {
    Charset charset = MediaTypes.charset(event.getDataContentType());
    if (charset == null) {
      throw failure(event, target, "the charset of its content type is not known", null);
    }
    try {
      return charset.newDecoder().decode(ByteBuffer.wrap(data)).toString();
    } catch (CharacterCodingException bad) {
      throw failure(event, target, "the data is no text in " + charset.name(), null);
    }
  }

  private static void requireJson(Event event, JavaType target) {
    String contentType = event.getDataContentType();
    if (contentType != null && !MediaTypes.isJson(contentType)) {
      throw failure(
          event,
          target,
          "its content type is %s, and this mapper reads JSON (read it as byte[], or configure a"
                  .formatted(contentType)
              + " PayloadMapper for it)",
          null);
    }
  }

  private static PayloadException failure(
      Event event, JavaType target, String problem, @Nullable Throwable cause) {
    return new PayloadException(
        "Data of event %s (%s) cannot be read as %s: %s"
            .formatted(event.getId(), event.getType(), target.toCanonical(), problem),
        cause);
  }
}
