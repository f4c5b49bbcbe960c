package dev.onceward.dedupe.internal;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the inbox's tables are.
 *
 * @param schema the schema, or null for the connection's search path
 * @param prefix what the table names start with
 */
public record TableNames(@Nullable String schema, String prefix) {
  public static final String DEFAULT_PREFIX = "onceward_";

  private static final Pattern PREFIX = Pattern.compile("[a-z_][a-z0-9_]{0,30}");
  private static final int LONGEST_SCHEMA = 63;

  public TableNames {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "tablePrefix must be 1 to 31 of a-z, 0-9 and _, not starting with a digit: " + prefix);
    }
    if (schema != null
        && (schema.isBlank()
            || schema.length() > LONGEST_SCHEMA
            || schema.chars().anyMatch(Character::isISOControl))) {
      throw new IllegalArgumentException(
          "schema must be 1 to " + LONGEST_SCHEMA + " characters without control characters");
    }
  }

  public String handler() {
    return prefix + "handler";
  }

  public String processedEvent() {
    return prefix + "processed_event";
  }

  public String entityVersion() {
    return prefix + "entity_version";
  }

  public String window() {
    return prefix + "window";
  }

  public String fence() {
    return prefix + "fence";
  }

  /** All tables that the inbox needs. */
  public List<String> all() {
    return List.of(handler(), window(), processedEvent(), entityVersion(), fence());
  }

  /** A table's name as statements use it. */
  public String qualified(String table) {
    return schema == null ? table : quotedSchema(schema) + "." + table;
  }

  public static String quotedSchema(String schema) {
    return '"' + schema.replace("\"", "\"\"") + '"';
  }
}
