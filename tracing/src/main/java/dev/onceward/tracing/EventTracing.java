package dev.onceward.tracing;

import dev.onceward.envelope.Event;
import io.opentelemetry.context.Scope;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Spans, trace context and log context of messages, at the point where they are created, sent and
 * dispatched.
 *
 * <p>Spans and metrics follow the OpenTelemetry messaging conventions in the {@link SemconvDialect}
 * chosen; context travels as W3C Trace Context and W3C Baggage whatever propagators the SDK is set
 * up with. All of it works without an SDK too: nothing is recorded then, but every record still
 * carries a valid {@code traceparent}, an incoming trace goes on, and the log context is there.
 *
 * <p>Foreign context that W3C calls invalid (wrong version, length, case or characters, all zeros,
 * more than one {@code traceparent}, a null value) starts a new trace; it never raises an error.
 * Two identical {@code traceparent} headers count as invalid as well: one rule, and no guess about
 * who appended the second. An invalid {@code tracestate} or {@code baggage} is dropped by itself
 * and does not cost the trace.
 *
 * <p>With the OpenTelemetry Java agent, switch its Kafka instrumentation off ({@code
 * -Dotel.instrumentation.kafka.enabled=false}); otherwise every message gets its spans twice.
 *
 * <p>Implementations are thread-safe.
 *
 * @see <a href="https://www.w3.org/TR/trace-context/">W3C Trace Context</a>
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/messaging/">Messaging conventions</a>
 */
public interface EventTracing {

  /**
   * Tracing on the global OpenTelemetry, with the defaults of {@link #builder()}. The global is
   * looked up when a message passes or a consumer is observed, and never set from here, so it may
   * be registered after this call.
   */
  static EventTracing global() {
    return builder().build();
  }

  /** A builder with the defaults: global OpenTelemetry, newest dialect, linked process spans. */
  static EventTracingBuilder builder() {
    return new EventTracingBuilder();
  }

  /**
   * Starts the PRODUCER span of one send and writes its context to the record's headers.
   *
   * <p>{@code traceparent}, {@code tracestate} and {@code baggage} are set, not appended: the
   * record carries at most one of each, and those of an earlier hop are gone. The parent is the
   * current span; a record that already carries a context (a forwarded one) is linked to it, or
   * continues it when no span is current. {@code ce_traceparent}, the origin, is added to
   * binary-mode events that have none and is never rewritten: it is the earlier hop's context where
   * there was one, else this span's.
   *
   * @param record the record about to be sent; its headers are changed
   * @throws IllegalStateException when the headers are read-only because the record was sent before
   */
  SendSpan startSend(ProducerRecord<byte[], byte[]> record);

  /**
   * Starts the PRODUCER span of the creation of a record that is stored first and sent by a relay,
   * and writes its context to the record's headers, as {@link #startSend} does. No message counts
   * as sent.
   *
   * @param record the record about to be stored; its headers are changed
   * @throws IllegalStateException when the headers are read-only
   */
  CreateSpan startCreate(ProducerRecord<byte[], byte[]> record);

  /**
   * Starts the CLIENT span of the send of a record that was created earlier, by {@link
   * #startCreate} as a rule. It is linked to the context that the record carries; the record itself
   * is forwarded as it is, {@code traceparent} included.
   *
   * @param record the record about to be sent; not changed
   */
  SendSpan startForward(ProducerRecord<byte[], byte[]> record);

  /**
   * Starts the CONSUMER span of one delivery.
   *
   * @param record the record as it was polled; not changed
   * @param group the consumer group
   * @param attempt 1 for the first delivery to the handler, 2 for its first retry, and so on; only
   *     the first counts as a consumed message
   */
  ProcessSpan startProcess(ConsumerRecord<byte[], byte[]> record, String group, int attempt);

  /**
   * Starts the one CONSUMER span of several first deliveries that a handler takes at once. It is
   * linked to the sender of each, the first 128 of them, and counts all of them as consumed.
   *
   * @param records the records as they were polled, one at least, of one topic; not changed
   * @param group the consumer group
   * @param handlerId the id of the handlers, for the span and the log context
   */
  ProcessSpan startProcessBatch(
      List<ConsumerRecord<byte[], byte[]>> records, String group, String handlerId);

  /**
   * Reports a consumer's own metrics: {@code onceward.consumer.deliveries}, {@code .retries},
   * {@code .in_flight}, {@code .partitions.assigned}, {@code .partition.held}, {@code .leaks} and
   * {@code .pool.*}.
   *
   * <p>The consumer is asked when metrics are collected; nothing is recorded in between. There is
   * one set of instruments for each OpenTelemetry and dialect, however many consumers and tracings
   * report to it. Consumers of one group are added up; of a partition held in two of them the
   * longer time is reported. Counts start at 0 for each consumer, and those of a consumer that was
   * closed stay in the total of its group for the life of the OpenTelemetry (of groups without any
   * consumer left, the last 100 are kept).
   *
   * <p>Where the global OpenTelemetry is used and is not registered yet, reporting begins with the
   * first message after it is.
   *
   * @param consumer the consumer, which has counted nothing yet; each is registered once
   * @return closed when the consumer has stopped
   */
  Registration observe(ConsumerObservation consumer);

  /**
   * Reports an outbox relay's own metrics: {@code onceward.outbox.records} by {@code
   * onceward.outcome}, {@code .lease.changes}, {@code .shards}, {@code .backlog}, {@code
   * .backlog.age} and {@code .dead}.
   *
   * <p>The relay is asked when metrics are collected. Relays that report to one OpenTelemetry
   * through one tracing are added up, of ages the highest is reported; counts of those that were
   * closed stay in the totals.
   *
   * @param relay the relay, which has counted nothing yet; each is registered once
   * @return closed when the relay has stopped
   */
  Registration observe(RelayObservation relay);

  /** A consumer or a relay that is observed. Thread-safe. */
  interface Registration extends AutoCloseable {

    /** Reads the counts once more and lets go of it. Further calls do nothing. Never throws. */
    @Override
    void close();
  }

  /** A span of a record on its way. Thread-safe. */
  interface HopSpan {

    /** The {@code traceparent} of the record: the context of this hop. */
    String traceparent();

    /**
     * The event's origin: its {@code ce_traceparent} where it had one, else the value to put there.
     */
    String originTraceparent();

    /** Ends the span with the error the record could not be sent or stored for. */
    void failed(Throwable error);
  }

  /** A send span. Thread-safe; the first of {@link #sent} and {@link #failed} ends it. */
  interface SendSpan extends HopSpan {

    /** Ends the span: the broker has acknowledged the record. */
    void sent(int partition, long offset);
  }

  /** A create span. Thread-safe; the first of {@link #created} and {@link #failed} ends it. */
  interface CreateSpan extends HopSpan {

    /** Ends the span: the record is stored. */
    void created();
  }

  /**
   * A process span. Thread-safe: it may be made current on any thread, on several in turn, and
   * ended on another. The first of {@link #ended} and {@link #failed} ends it.
   */
  interface ProcessSpan {

    /** The {@code traceparent} of this delivery, for what is sent or stored on its behalf. */
    String traceparent();

    /**
     * Makes the span, the message's baggage and the log context (the {@link LogKeys}) current on
     * this thread. Closing the scope, on the same thread, puts back what was there before, each MDC
     * value included; MDC entries under other names are left alone.
     */
    Scope makeCurrent();

    /**
     * Adds what decoding brought to light: CloudEvents attributes, message id, and the log context
     * of the event. Where this span is current on the calling thread, its MDC is brought up to
     * date.
     */
    void event(Event event, String handlerId);

    /**
     * Ends the span with an outcome such as {@code applied}, {@code duplicate} or {@code stale}.
     */
    void ended(String outcome);

    /**
     * Ends the span with the error of the handler: status ERROR, {@code error.type} and the
     * exception itself. Wrappers that say nothing (such as {@code CompletionException}) are looked
     * through.
     */
    void failed(Throwable error);
  }
}
