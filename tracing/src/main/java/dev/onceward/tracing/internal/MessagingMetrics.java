package dev.onceward.tracing.internal;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The four instruments of the messaging conventions, under the names of the dialect. */
final class MessagingMetrics {

  /** The bucket boundaries the conventions advise, in seconds. */
  private static final List<Double> BUCKETS =
      List.of(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0);

  private final Semconv semconv;
  private final List<DoubleHistogram> sendDuration;
  private final List<LongCounter> sentMessages;
  private final List<DoubleHistogram> processDuration;
  private final List<LongCounter> consumedMessages;

  MessagingMetrics(Meter meter, Semconv semconv) {
    this.semconv = semconv;
    this.sendDuration =
        histograms(
            meter,
            semconv.sendDuration,
            "Duration of messaging operation initiated by a producer or consumer client.");
    this.sentMessages =
        counters(
            meter,
            semconv.sentMessages,
            "Number of messages producer attempted to send to the broker.");
    this.processDuration =
        histograms(meter, semconv.processDuration, "Duration of processing operation.");
    this.consumedMessages =
        counters(
            meter,
            semconv.consumedMessages,
            "Number of messages that were delivered to the application.");
  }

  void sent(Context context, Attributes attributes, long startNanos) {
    record(sendDuration, context, attributes, startNanos);
    add(sentMessages, context, attributes);
  }

  void sendFailed(Context context, Attributes attributes, long startNanos, String errorType) {
    sent(context, withError(attributes, errorType), startNanos);
  }

  void consumed(Context context, Attributes attributes) {
    add(consumedMessages, context, attributes);
  }

  void processed(Context context, Attributes attributes, long startNanos) {
    record(processDuration, context, attributes, startNanos);
  }

  void processFailed(Context context, Attributes attributes, long startNanos, String errorType) {
    processed(context, withError(attributes, errorType), startNanos);
  }

  private Attributes withError(Attributes attributes, String errorType) {
    var builder = attributes.toBuilder();
    semconv.errorType.put(builder, errorType);
    return builder.build();
  }

  private static void record(
      List<DoubleHistogram> histograms, Context context, Attributes attributes, long startNanos) {
    double seconds = (double) (System.nanoTime() - startNanos) / TimeUnit.SECONDS.toNanos(1);
    for (DoubleHistogram histogram : histograms) {
      histogram.record(seconds, attributes, context);
    }
  }

  private static void add(List<LongCounter> counters, Context context, Attributes attributes) {
    for (LongCounter counter : counters) {
      counter.add(1, attributes, context);
    }
  }

  private static List<DoubleHistogram> histograms(
      Meter meter, List<String> names, String description) {
    return names.stream()
        .map(
            name ->
                meter
                    .histogramBuilder(name)
                    .setUnit("s")
                    .setDescription(description)
                    .setExplicitBucketBoundariesAdvice(BUCKETS)
                    .build())
        .toList();
  }

  private static List<LongCounter> counters(Meter meter, List<String> names, String description) {
    return names.stream()
        .map(
            name ->
                meter.counterBuilder(name).setUnit("{message}").setDescription(description).build())
        .toList();
  }
}
