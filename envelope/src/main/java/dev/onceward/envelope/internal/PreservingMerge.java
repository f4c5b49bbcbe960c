package dev.onceward.envelope.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lays a changed value over the JSON it was read from, keeping what the value does not know. */
public final class PreservingMerge {

  private PreservingMerge() {}

  /**
   * The JSON to write.
   *
   * @param original the JSON as read
   * @param baseline what the value as read is written as
   * @param updated what the value as changed is written as
   */
  public static JsonNode merge(JsonNode original, JsonNode baseline, JsonNode updated) {
    if (updated.equals(baseline)) {
      return original;
    }
    if (original instanceof ObjectNode from
        && baseline instanceof ObjectNode known
        && updated instanceof ObjectNode to) {
      return objects(from, known, to);
    }
    if (original instanceof ArrayNode from
        && baseline instanceof ArrayNode known
        && updated instanceof ArrayNode to
        && from.size() == known.size()) {
      return arrays(from, known, to);
    }
    return updated;
  }

  private static JsonNode objects(ObjectNode original, ObjectNode baseline, ObjectNode updated) {
    ObjectNode merged = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : original.properties()) {
      String name = field.getKey();
      JsonNode known = baseline.get(name);
      JsonNode now = updated.get(name);
      if (now != null) {
        merged.set(name, known == null ? now : merge(field.getValue(), known, now));
      } else if (known == null) {
        merged.set(name, field.getValue());
      }
    }
    for (Map.Entry<String, JsonNode> field : updated.properties()) {
      String name = field.getKey();
      // A default that the original left out, and nobody changed, stays out.
      if (!original.has(name) && !field.getValue().equals(baseline.get(name))) {
        merged.set(name, field.getValue());
      }
    }
    return merged;
  }

  private static JsonNode arrays(ArrayNode original, ArrayNode baseline, ArrayNode updated) {
    boolean[] taken = new boolean[baseline.size()];
    @Nullable JsonNode[] matched = new JsonNode[updated.size()];
    for (int i = 0; i < updated.size(); i++) {
      int same = indexOf(updated.get(i), baseline, taken, i);
      if (same >= 0) {
        taken[same] = true;
        matched[i] = original.get(same);
      }
    }
    ArrayNode merged = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < updated.size(); i++) {
      JsonNode unchanged = matched[i];
      if (unchanged != null) {
        merged.add(unchanged);
      } else if (updated.size() == baseline.size() && !taken[i]) {
        merged.add(merge(original.get(i), baseline.get(i), updated.get(i)));
      } else {
        merged.add(updated.get(i));
      }
    }
    return merged;
  }

  /** The same element, at its old place if it is still there. */
  private static int indexOf(JsonNode element, ArrayNode in, boolean[] taken, int preferred) {
    if (preferred < in.size() && !taken[preferred] && in.get(preferred).equals(element)) {
      return preferred;
    }
    for (int i = 0; i < in.size(); i++) {
      if (!taken[i] && in.get(i).equals(element)) {
        return i;
      }
    }
    return -1;
  }
}
