package dev.onceward.tracing.internal;

import dev.onceward.tracing.ConsumerObservation;
import dev.onceward.tracing.EventTracing;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
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
  private final MessageTracing contextOnly;
  private final Object lock = new Object();

  /** Consumers that came before the global was found; guarded by the lock. */
  private final Set<Waiting> waiting = new LinkedHashSet<>();

  private volatile @Nullable MessageTracing registered;

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

  @Override
  public Registration observe(ConsumerObservation consumer) {
    String group = Objects.requireNonNull(consumer.group(), "group");
    synchronized (lock) {
      MessageTracing found = delegate();
      if (found != contextOnly) {
        return found.observe(group, consumer);
      }
      Waiting registration = new Waiting(group, consumer);
      waiting.add(registration);
      return registration;
    }
  }

  private MessageTracing delegate() {
    MessageTracing known = registered;
    if (known != null) {
      return known;
    }
    return GlobalOpenTelemetry.isSet() ? connect() : contextOnly;
  }

  private MessageTracing connect() {
    synchronized (lock) {
      MessageTracing known = registered;
      if (known != null) {
        return known;
      }
      MessageTracing found = new MessageTracing(GlobalOpenTelemetry.get(), config);
      waiting.forEach(consumer -> consumer.connect(found));
      waiting.clear();
      registered = found;
      return found;
    }
  }

  /** A registration that takes effect when the global is found. */
  private final class Waiting implements Registration {

    private final String group;
    private final ConsumerObservation consumer;

    /** Guarded by the lock. */
    private @Nullable Registration connected;

    Waiting(String group, ConsumerObservation consumer) {
      this.group = group;
      this.consumer = consumer;
    }

    void connect(MessageTracing found) {
      connected = found.observe(group, consumer);
    }

    @Override
    public void close() {
      // a global that no message has met yet still gets the last figures
      MessageTracing unused = delegate();
      Registration known;
      synchronized (lock) {
        waiting.remove(this);
        known = connected;
      }
      if (known != null) {
        known.close();
      }
    }
  }
}
