package dev.onceward.tracing;

import dev.onceward.tracing.internal.GlobalEventTracing;
import dev.onceward.tracing.internal.MessageTracing;
import dev.onceward.tracing.internal.TracingConfig;
import io.opentelemetry.api.OpenTelemetry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds an {@link EventTracing}. Not thread-safe. */
public final class EventTracingBuilder {

  private @Nullable OpenTelemetry openTelemetry;
  private SemconvDialect dialect = SemconvDialect.V1_45;
  private ProcessRelation processRelation = ProcessRelation.LINK;
  private boolean recordMessageKey;

  EventTracingBuilder() {}

  /** The OpenTelemetry to record to. Default: the global one, looked up when first used. */
  public EventTracingBuilder openTelemetry(OpenTelemetry openTelemetry) {
    this.openTelemetry = Objects.requireNonNull(openTelemetry, "openTelemetry");
    return this;
  }

  /** The names of attributes, metrics and spans. Default: {@link SemconvDialect#V1_45}. */
  public EventTracingBuilder semconv(SemconvDialect dialect) {
    this.dialect = Objects.requireNonNull(dialect, "dialect");
    return this;
  }

  /** How a process span relates to the send span. Default: {@link ProcessRelation#LINK}. */
  public EventTracingBuilder processRelation(ProcessRelation processRelation) {
    this.processRelation = Objects.requireNonNull(processRelation, "processRelation");
    return this;
  }

  /**
   * Whether spans carry the record key as text. Default: false, because keys are often personal
   * data. Keys that are not UTF-8 text are left out in any case.
   */
  public EventTracingBuilder recordMessageKey(boolean recordMessageKey) {
    this.recordMessageKey = recordMessageKey;
    return this;
  }

  /** Builds it; the builder can be used again. */
  public EventTracing build() {
    TracingConfig config = new TracingConfig(dialect, processRelation, recordMessageKey);
    return openTelemetry == null
        ? new GlobalEventTracing(config)
        : new MessageTracing(openTelemetry, config);
  }
}
