package dev.onceward.envelope.internal;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks the JSON members that an event's accessors rely on. */
final class StructuredCheck {
  private static final List<String> TEXTS =
      List.of(Attributes.SUBJECT, Attributes.DATACONTENTTYPE, Attributes.DATASCHEMA);
  private static final List<String> TIMES =
      List.of(Attributes.TIME, Attributes.OCCURREDAT, Attributes.EXPIRYTIME);
  private static final List<String> SCALARS =
      List.of(Attributes.PARTITIONKEY, Attributes.CORRELATIONID, Attributes.CAUSATIONID);

  private final Map<String, Object> attributes;
  private final Map<String, String> unknown;
  private final Problems problems;

  StructuredCheck(Map<String, Object> attributes, Map<String, String> unknown, Problems problems) {
    this.attributes = attributes;
    this.unknown = unknown;
    this.problems = problems;
  }

  void run() {
    String specVersion = text(Attributes.SPECVERSION, true);
    if (specVersion != null && !specVersion.equals("1.0")) {
      problems.specVersion(Attributes.SPECVERSION);
    }
    for (String name : List.of(Attributes.ID, Attributes.SOURCE, Attributes.TYPE)) {
      String value = text(name, true);
      if (value != null && Utf8.isBlank(Utf8.encode(value))) {
        problems.add(name + " is blank: give it a value");
      }
    }
    TEXTS.forEach(name -> text(name, false));
    for (String name : TIMES) {
      String value = text(name, false);
      problems.time(name, value == null ? null : Utf8.encode(value));
    }
    for (String name : SCALARS) {
      if (isUnusable(name)) {
        problems.add("member " + name + " is no JSON string");
      }
    }
    Object version = attributes.get(Attributes.ENTITYVERSION);
    if (isUnusable(Attributes.ENTITYVERSION)) {
      problems.add("member " + Attributes.ENTITYVERSION + " is no JSON integer or string");
    } else if (version != null) {
      problems.version(Attributes.ENTITYVERSION, Utf8.encode(version.toString()));
    }
  }

  private @Nullable String text(String name, boolean required) {
    Object value = attributes.get(name);
    if (value instanceof String text) {
      return text;
    }
    if (value != null || isUnusable(name)) {
      problems.add("member " + name + " is no JSON string");
    } else if (required) {
      problems.add("member " + name + " is missing: a CloudEvent must have it");
    }
    return null;
  }

  /** There, but neither a scalar nor null, which the JSON format takes as absent. */
  private boolean isUnusable(String name) {
    String json = unknown.get(name);
    return json != null && !json.equals("null");
  }
}
