package dev.onceward.envelope;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Objects;

/**
 * A payload together with the JSON it was read from, so that fields which {@code T} does not know
 * survive a change: read as {@code Preserved<T>}, {@link #withValue change the value}, write.
 *
 * <p>Written is the new value over the original JSON. Fields that {@code T} does not write are
 * kept, in nested objects too; parts that did not change keep their original spelling (a date
 * format, a number's trailing zeros). Elements of an array are matched by equality, and by position
 * where the array has kept its length; other new elements are written as they are.
 *
 * <p>Works as the whole payload, not as a part of one. Immutable when {@code T} is; thread-safe.
 */
public final class Preserved<T> {
  private final T value;
  private final JsonNode original;
  private final JsonNode baseline;

  /**
   * @param original what the value was read from
   * @param baseline what the value as read would be written as: the fields that {@code T} knows
   */
  Preserved(T value, JsonNode original, JsonNode baseline) {
    this.value = Objects.requireNonNull(value, "value");
    this.original = original;
    this.baseline = baseline;
  }

  /** A value that was not read from anywhere. */
  public static <T> Preserved<T> of(T value) {
    return new Preserved<>(value, MissingNode.getInstance(), MissingNode.getInstance());
  }

  /** The value, with the fields that its type knows. */
  public T value() {
    return value;
  }

  /** Another value over the same original. */
  public Preserved<T> withValue(T newValue) {
    return new Preserved<>(newValue, original, baseline);
  }

  /** A copy of the JSON it was read from; a {@code MissingNode} when it was not read. */
  public JsonNode original() {
    return original.deepCopy();
  }

  JsonNode originalTree() {
    return original;
  }

  JsonNode baselineTree() {
    return baseline;
  }

  /** The payload itself is not shown. */
  @Override
  public String toString() {
    return "Preserved{" + value.getClass().getName() + "}";
  }
}
