package dev.onceward.tracing.internal;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import java.util.List;

/**
 * One fact about a message and the attribute names it goes under; none where a dialect has none.
 */
record Field<T>(List<AttributeKey<T>> keys) {

  void put(AttributesBuilder attributes, T value) {
    for (AttributeKey<T> key : keys) {
      attributes.put(key, value);
    }
  }

  void set(Span span, T value) {
    for (AttributeKey<T> key : keys) {
      span.setAttribute(key, value);
    }
  }
}
