package dev.onceward.tracing.internal;

import dev.onceward.tracing.ConsumerObservation;
import dev.onceward.tracing.EventTracing;
import dev.onceward.tracing.RelayObservation;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
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

  /** Consumers and relays that came before the global was found; guarded by the lock. */
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
  public CreateSpan startCreate(ProducerRecord<byte[], byte[]> record) {
    return delegate().startCreate(record);
  }

  @Override
  public SendSpan startForward(ProducerRecord<byte[], byte[]> record) {
    return delegate().startForward(record);
  }

  @Override
  public ProcessSpan startProcess(
      ConsumerRecord<byte[], byte[]> record, String group, int attempt) {
    return delegate().startProcess(record, group, attempt);
  }

  @Override
  public ProcessSpan startProcessBatch(
      List<ConsumerRecord<byte[], byte[]>> records, String group, String handlerId) {
    return delegate().startProcessBatch(records, group, handlerId);
  }

  @Override
  public Registration observe(ConsumerObservation consumer) {
    String group = Objects.requireNonNull(consumer.group(), "group");
    return register(found -> found.observe(group, consumer));
  }

  @Override
  public Registration observe(RelayObservation relay) {
    Objects.requireNonNull(relay, "relay");
    return register(found -> found.observe(relay));
  }

  private Registration register(Function<MessageTracing, Registration> how) {
    synchronized (lock) {
      MessageTracing found = delegate();
      if (found != contextOnly) {
        return how.apply(found);
      }
      Waiting registration = new Waiting(how);
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
      waiting.forEach(each -> each.connect(found));
      waiting.clear();
      registered = found;
      return found;
    }
  }

  /** A registration that takes effect when the global is found. */
  private final class Waiting implements Registration {

    private final Function<MessageTracing, Registration> how;

    /** Guarded by the lock. */
    private @Nullable Registration connected;

    Waiting(Function<MessageTracing, Registration> how) {
      this.how = how;
    }

    void connect(MessageTracing found) {
      connected = how.apply(found);
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
