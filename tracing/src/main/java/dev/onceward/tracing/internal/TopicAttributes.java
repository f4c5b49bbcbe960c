package dev.onceward.tracing.internal;

import dev.onceward.tracing.internal.Semconv.Operation;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What every message of a topic shares; made once for each topic. */
final class TopicAttributes {

  /**
   * The shared part.
   *
   * @param spanName the name of the spans
   * @param attributes those of the metrics, which every span has as well
   */
  record Shared(String spanName, Attributes attributes) {}

  /** Against topics made up at run time: what is beyond it is made anew for each message. */
  private static final int MAX_CACHED = 1_000;

  private record Key(Operation operation, String topic, @Nullable String group) {}

  private final Semconv semconv;
  private final Map<Key, Shared> cache = new ConcurrentHashMap<>();

  TopicAttributes(Semconv semconv) {
    this.semconv = semconv;
  }

  Shared of(Operation operation, String topic, @Nullable String group) {
    Key key = new Key(operation, topic, group);
    Shared known = cache.get(key);
    if (known != null) {
      return known;
    }
    Shared made = make(key);
    if (cache.size() < MAX_CACHED) {
      cache.put(key, made);
    }
    return made;
  }

  private Shared make(Key key) {
    AttributesBuilder attributes = Attributes.builder();
    semconv.system.put(attributes, Semconv.SYSTEM_KAFKA);
    semconv.putOperation(attributes, key.operation());
    semconv.destination.put(attributes, key.topic());
    if (key.group() != null) {
      semconv.group.put(attributes, key.group());
    }
    return new Shared(semconv.spanName(key.operation(), key.topic()), attributes.build());
  }
}
