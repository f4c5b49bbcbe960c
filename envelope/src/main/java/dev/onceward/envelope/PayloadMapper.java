package dev.onceward.envelope;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Maps event data to objects and back. Implementations are thread-safe. */
public interface PayloadMapper {

  /**
   * Reads the event's data as {@code type}. An event without data (a tombstone) can be read as an
   * {@code Optional} only, which is then empty; see {@link #readOrNull}.
   *
   * @throws PayloadException when the data is not what {@code type} needs, or is not there
   */
  Object read(Event event, Type type) throws PayloadException;

  /**
   * Like {@link #read}, but null for an event without data and a {@code type} other than {@code
   * Optional}: for targets that may be null.
   */
  default @Nullable Object readOrNull(Event event, Type type) throws PayloadException {
    Type raw = type instanceof ParameterizedType generic ? generic.getRawType() : type;
    boolean optional = raw == Optional.class;
    return event.payload() == null && !optional ? null : read(event, type);
  }

  /**
   * The data bytes of {@code payload}.
   *
   * @throws PayloadException when it cannot be written
   */
  byte[] write(Object payload) throws PayloadException;

  /** The media type of what {@link #write} returns. */
  String contentType();
}
