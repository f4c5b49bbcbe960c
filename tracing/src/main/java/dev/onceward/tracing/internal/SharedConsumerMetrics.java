package dev.onceward.tracing.internal;

import dev.onceward.tracing.SemconvDialect;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import java.lang.ref.WeakReference;
import java.util.EnumMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One set of consumer metrics for each meter provider and dialect, whichever tracing asks for it.
 *
 * <p>Consumers are built with a tracing of their own unless told otherwise. Were the metrics the
 * tracing's, every consumer started would leave five instruments behind, and two consumers of one
 * group would report equal attributes twice, of which an SDK may make what it likes. The provider
 * is all that such tracings have in common and nothing can be attached to it, hence the one static
 * table. It holds both sides weakly: a provider that is dropped goes with its metrics, which
 * nothing but its own callbacks keeps.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/otel/metrics/api/">Metrics API</a>, on
 *     asynchronous instruments
 */
final class SharedConsumerMetrics {

  private static final Map<MeterProvider, Map<SemconvDialect, WeakReference<ConsumerMetrics>>>
      BY_PROVIDER = new WeakHashMap<>();

  private SharedConsumerMetrics() {}

  static ConsumerMetrics of(MeterProvider provider, SemconvDialect dialect, Supplier<Meter> meter) {
    synchronized (BY_PROVIDER) {
      Map<SemconvDialect, WeakReference<ConsumerMetrics>> byDialect =
          BY_PROVIDER.computeIfAbsent(provider, any -> new EnumMap<>(SemconvDialect.class));
      WeakReference<ConsumerMetrics> reference = byDialect.get(dialect);
      @Nullable ConsumerMetrics known = reference == null ? null : reference.get();
      if (known != null) {
        return known;
      }
      ConsumerMetrics made = ConsumerMetrics.on(meter.get(), dialect);
      byDialect.put(dialect, new WeakReference<>(made));
      return made;
    }
  }
}
