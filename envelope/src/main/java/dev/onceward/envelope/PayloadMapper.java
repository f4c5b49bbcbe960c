package dev.onceward.envelope;

import java.lang.reflect.Type;

/** Maps event data to objects and back. */
public interface PayloadMapper {
  /** Reads the event's data as {@code type}. */
  Object read(Event event, Type type) throws PayloadException;

  byte[] write(Object payload) throws PayloadException;

  /** The media type of what {@link #write} returns. */
  String contentType();
}
