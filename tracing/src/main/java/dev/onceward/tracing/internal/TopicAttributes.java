package dev.onceward.tracing.internal;

import dev.onceward.tracing.internal.Semconv.Operation;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The attributes every message of a topic shares, those of the metrics; made once for each. */
final class TopicAttributes {

  /** Against topics made up at run time: what is beyond it is made anew for each message. */
  private static final int MAX_CACHED = 1_000;

  private record Key(Operation operation, String topic, @Nullable String group) {}

  private final Semconv semconv;
  private final Map<Key, Attributes> cache = new ConcurrentHashMap<>();

  TopicAttributes(Semconv semconv) {
    this.semconv = semconv;
  }

  Attributes of(Operation operation, String topic, @Nullable String group) {
    Key key = new Key(operation, topic, group);
    Attributes known = cache.get(key);
    if (known != null) {
      return known;
    }
    Attributes made = make(key);
    if (cache.size() < MAX_CACHED) {
      cache.put(key, made);
    }
    return made;
  }

  private Attributes make(Key key) {
    AttributesBuilder attributes = Attributes.builder();
    semconv.system.put(attributes, Semconv.SYSTEM_KAFKA);
    semconv.putOperation(attributes, key.operation());
    semconv.destination.put(attributes, key.topic());
    if (key.group() != null) {
      semconv.group.put(attributes, key.group());
    }
    return attributes.build();
  }
}
