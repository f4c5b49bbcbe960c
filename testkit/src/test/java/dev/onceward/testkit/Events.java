package dev.onceward.testkit;

import dev.onceward.envelope.Event;
import java.net.URI;
import java.util.List;
import java.util.stream.LongStream;

/** Events of orders for the tests of the helpers. */
final class Events {
  private Events() {}

  static Event of(String entity, long version) {
    return Event.builder()
        .id(entity + "-" + version)
        .source(URI.create("/orders"))
        .type("com.acme.orders.placed.v1")
        .subject(entity)
        .entityKey(entity)
        .entityVersion(version)
        .build();
  }

  static List<Event> versions(String entity, int count) {
    return LongStream.rangeClosed(1, count).mapToObj(version -> of(entity, version)).toList();
  }
}
