package dev.onceward.tracing.internal;

import dev.onceward.tracing.EventTracing;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Follows the global OpenTelemetry: context only until one is registered, recording from then on.
 *
 * <p>{@code GlobalOpenTelemetry.get()} must not be called before: it would register the no-op, and
 * the application's own registration would fail after it.
 */
public final class GlobalEventTracing implements EventTracing {

  private final TracingConfig config;
  private final EventTracing contextOnly;
  private volatile @Nullable EventTracing registered;

  public GlobalEventTracing(TracingConfig config) {
    this.config = config;
    this.contextOnly = new MessageTracing(OpenTelemetry.noop(), config);
  }

  @Override
  public SendSpan startSend(ProducerRecord<byte[], byte[]> record) {
    return delegate().startSend(record);
  }

  @Override
  public ProcessSpan startProcess(
      ConsumerRecord<byte[], byte[]> record, String group, int attempt) {
    return delegate().startProcess(record, group, attempt);
  }

  private EventTracing delegate() {
    EventTracing known = registered;
    if (known != null) {
      return known;
    }
    if (!GlobalOpenTelemetry.isSet()) {
      return contextOnly;
    }
    EventTracing found = new MessageTracing(GlobalOpenTelemetry.get(), config);
    registered = found;
    return found;
  }
}
