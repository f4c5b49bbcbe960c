package dev.onceward.tracing;

import dev.onceward.envelope.Event;
import io.opentelemetry.context.Scope;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Spans, trace context and log context of messages. Thread-safe. */
public interface EventTracing {

  /** Starts a send span and sets {@code traceparent}, {@code tracestate} and {@code baggage}. */
  SendSpan startSend(ProducerRecord<byte[], byte[]> record);

  /** Starts a process span for one delivery of {@code record} to {@code group}. */
  ProcessSpan startProcess(ConsumerRecord<byte[], byte[]> record, String group, int attempt);

  /** A send span; ends exactly once. */
  interface SendSpan {
    /** The event's origin traceparent to put in {@code ce_traceparent} where it has none. */
    String traceparent();

    void sent(int partition, long offset);

    void failed(Throwable error);
  }

  /** A process span; may be made current on any thread, ends exactly once. */
  interface ProcessSpan {
    /** Makes the span and its log context (MDC) current on this thread until the scope closes. */
    Scope makeCurrent();

    /** Adds the decoded event's attributes and log context; call before {@link #makeCurrent}. */
    void event(Event event, String handlerId);

    /** Ends the span with an outcome such as {@code applied}, {@code duplicate}, {@code stale}. */
    void ended(String outcome);

    void failed(Throwable error);
  }
}
