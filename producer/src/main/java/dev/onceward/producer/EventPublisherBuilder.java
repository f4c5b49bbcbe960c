package dev.onceward.producer;

import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.envelope.TypeNaming;
import dev.onceward.producer.internal.KafkaEventPublisher;
import dev.onceward.producer.internal.PublisherConfig;
import dev.onceward.producer.internal.RecordSender;
import dev.onceward.tracing.EventTracing;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds an {@link EventPublisher}. Not thread-safe. */
public final class EventPublisherBuilder {

  /** How long {@link EventPublisher#close} waits unless told otherwise: 30 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final Map<?, ?> kafkaProperties;
  private @Nullable URI source;
  private ContentMode mode = ContentMode.BINARY;
  private TypeNaming typeNaming = TypeNaming.standard();
  private SizePolicy sizePolicy = SizePolicy.standard();
  private PayloadMapper payloadMapper = JacksonPayloadMapper.standard();
  private EventTracing tracing = EventTracing.global();
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;

  EventPublisherBuilder(Map<?, ?> kafkaProperties) {
    this.kafkaProperties = Objects.requireNonNull(kafkaProperties, "kafkaProperties");
  }

  /**
   * The source of events from {@link EventPublisher#newEvent}: the URI reference of this
   * application or context. Default: none, each event names its own.
   */
  public EventPublisherBuilder source(URI source) {
    this.source = Objects.requireNonNull(source, "source");
    return this;
  }

  /** How events are written. Default: {@link ContentMode#BINARY}. */
  public EventPublisherBuilder mode(ContentMode mode) {
    this.mode = Objects.requireNonNull(mode, "mode");
    return this;
  }

  /** How types must be named. Default: {@link TypeNaming#standard()}. */
  public EventPublisherBuilder typeNaming(TypeNaming typeNaming) {
    this.typeNaming = Objects.requireNonNull(typeNaming, "typeNaming");
    return this;
  }

  /** How large data may be. Default: {@link SizePolicy#standard()}. */
  public EventPublisherBuilder sizePolicy(SizePolicy sizePolicy) {
    this.sizePolicy = Objects.requireNonNull(sizePolicy, "sizePolicy");
    return this;
  }

  /** What writes payloads. Default: {@link JacksonPayloadMapper#standard()}. */
  public EventPublisherBuilder payloadMapper(PayloadMapper payloadMapper) {
    this.payloadMapper = Objects.requireNonNull(payloadMapper, "payloadMapper");
    return this;
  }

  /** Spans, metrics and trace context of sends. Default: {@link EventTracing#global()}. */
  public EventPublisherBuilder tracing(EventTracing tracing) {
    this.tracing = Objects.requireNonNull(tracing, "tracing");
    return this;
  }

  /**
   * How long {@link EventPublisher#close} waits for acknowledgements; zero or more. Default: {@link
   * #DEFAULT_CLOSE_TIMEOUT}.
   */
  public EventPublisherBuilder closeTimeout(Duration closeTimeout) {
    if (closeTimeout.isNegative()) {
      throw new IllegalArgumentException("closeTimeout must not be negative: " + closeTimeout);
    }
    this.closeTimeout = closeTimeout;
    return this;
  }

  /**
   * Builds the publisher. It starts to connect in the background; nothing is waited for, so an
   * unreachable broker shows at the first publish.
   *
   * @throws IllegalArgumentException when a Kafka property contradicts or is not valid, in one line
   *     that names it and the fix
   */
  public EventPublisher build() {
    return new KafkaEventPublisher(
        RecordSender.open(kafkaProperties, tracing),
        new PublisherConfig(
            source, mode, typeNaming, sizePolicy, payloadMapper, tracing, closeTimeout));
  }
}
