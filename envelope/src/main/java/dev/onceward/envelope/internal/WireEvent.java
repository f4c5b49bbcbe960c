package dev.onceward.envelope.internal;

import dev.onceward.envelope.Event;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the writers need to know of an event beyond its public face. */
interface WireEvent extends Event {

  /** All attributes it has, core and extension, in the order in which they are written. */
  Set<String> attributeNames();

  /** A String, Boolean, Integer or Long; null when it has no such attribute. */
  @Nullable Object attribute(String name);

  /** The bytes to write as the record key. */
  byte @Nullable [] recordKey();

  Carried carried();

  DataForm dataForm();

  static WireEvent of(Event event) {
    return event instanceof WireEvent wire ? wire : EventBuilder.from(event).assemble();
  }
}
