package dev.onceward.tracing.internal;

import dev.onceward.tracing.SemconvDialect;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one table of attribute, metric and span names; nothing outside it spells one.
 *
 * <p>Columns are v1.24, v1.44 and v1.45 of the OpenTelemetry conventions. The names are copied
 * because the artifacts that carry them change incompatibly with every release.
 */
final class Semconv {

  static final String SYSTEM_KAFKA = "kafka";

  // the consumer's own metrics, which the conventions do not know: the same in every dialect
  static final String CONSUMER_DELIVERIES = "onceward.consumer.deliveries";
  static final String CONSUMER_RETRIES = "onceward.consumer.retries";
  static final String CONSUMER_IN_FLIGHT = "onceward.consumer.in_flight";
  static final String CONSUMER_PARTITIONS_ASSIGNED = "onceward.consumer.partitions.assigned";
  static final String CONSUMER_PARTITION_HELD = "onceward.consumer.partition.held";
  static final String CONSUMER_LEAKS = "onceward.consumer.leaks";
  static final String CONSUMER_POOL_ACQUIRED = "onceward.consumer.pool.acquired";
  static final String CONSUMER_POOL_WAIT = "onceward.consumer.pool.wait";
  static final String CONSUMER_POOL_WAITING = "onceward.consumer.pool.waiting";
  static final String CONSUMER_POOL_ACTIVE = "onceward.consumer.pool.active";
  static final String CONSUMER_POOL_MAX = "onceward.consumer.pool.max";

  // the outbox relay's own metrics
  static final String OUTBOX_RECORDS = "onceward.outbox.records";
  static final String OUTBOX_LEASE_CHANGES = "onceward.outbox.lease.changes";
  static final String OUTBOX_SHARDS = "onceward.outbox.shards";
  static final String OUTBOX_BACKLOG = "onceward.outbox.backlog";
  static final String OUTBOX_BACKLOG_AGE = "onceward.outbox.backlog.age";
  static final String OUTBOX_DEAD = "onceward.outbox.dead";

  /** What is done with a message: its name in the column of v1.24, and in the later ones. */
  enum Operation {
    CREATE("create", "create"),
    SEND("publish", "send"),
    PROCESS("process", "process");

    private final String v24;
    private final String later;

    Operation(String v24, String later) {
      this.v24 = v24;
      this.later = later;
    }
  }

  private final SemconvDialect dialect;

  final Field<String> system;
  final Field<String> destination;
  final Field<String> partition;
  final Field<String> group;
  final Field<String> messageId;
  final Field<String> conversationId;
  final Field<String> messageKey;
  final Field<Long> offset;
  final Field<Boolean> tombstone;
  final Field<String> errorType;
  final Field<String> eventId;
  final Field<String> eventSource;
  final Field<String> eventType;
  final Field<String> eventSubject;
  final Field<String> eventSpecVersion;
  final Field<String> handler;
  final Field<Long> attempt;
  final Field<String> outcome;
  final Field<Long> batchCount;
  final Field<String> gate;
  final Field<String> leak;
  private final Field<String> operationV24;
  private final Field<String> operationName;
  private final Field<String> operationType;

  final List<String> sendDuration;
  final List<String> sentMessages;
  final List<String> processDuration;
  final List<String> consumedMessages;
  final @Nullable String schemaUrl;

  Semconv(SemconvDialect dialect) {
    this.dialect = dialect;
    system = text("messaging.system", "messaging.system", "messaging.system.name");
    operationV24 = text("messaging.operation", null, null);
    operationName = text(null, "messaging.operation.name", "messaging.operation.name");
    operationType = text(null, "messaging.operation.type", "messaging.operation.type");
    destination = text("messaging.destination.name");
    partition = text("messaging.destination.partition.id");
    group =
        text(
            "messaging.kafka.consumer.group",
            "messaging.consumer.group.name",
            "messaging.consumer.group.name");
    messageId = text("messaging.message.id");
    conversationId = text("messaging.message.conversation_id");
    messageKey =
        text("messaging.kafka.message.key", "messaging.kafka.message.key", "kafka.message.key");
    offset =
        field(
            AttributeKey::longKey,
            "messaging.kafka.message.offset",
            "messaging.kafka.offset",
            "kafka.offset");
    tombstone =
        field(
            AttributeKey::booleanKey,
            "messaging.kafka.message.tombstone",
            "messaging.kafka.message.tombstone",
            "kafka.message.tombstone");
    errorType = text("error.type");
    eventId = text("cloudevents.event_id");
    eventSource = text("cloudevents.event_source");
    eventType = text("cloudevents.event_type");
    eventSubject = text("cloudevents.event_subject");
    eventSpecVersion = text("cloudevents.event_spec_version");
    handler = text("onceward.handler");
    attempt = field(AttributeKey::longKey, "onceward.attempt");
    outcome = text("onceward.outcome");
    batchCount = field(AttributeKey::longKey, "messaging.batch.message_count");
    gate = text("onceward.gate");
    leak = text("onceward.leak");

    String clientDuration = "messaging.client.operation.duration";
    sendDuration = names("messaging.publish.duration", clientDuration, clientDuration);
    String sent = "messaging.client.sent.messages";
    sentMessages = names("messaging.publish.messages", sent, sent);
    processDuration = names("messaging.process.duration");
    String consumed = "messaging.client.consumed.messages";
    consumedMessages = names("messaging.receive.messages", consumed, consumed);
    schemaUrl =
        switch (dialect) {
          case V1_24 -> "https://opentelemetry.io/schemas/1.24.0";
          case V1_44 -> "https://opentelemetry.io/schemas/1.44.0";
          case V1_45 -> "https://opentelemetry.io/schemas/1.45.0";
          case DUP -> null; // no schema has them all
        };
  }

  void putOperation(AttributesBuilder attributes, Operation operation) {
    operationV24.put(attributes, operation.v24);
    operationName.put(attributes, operation.later);
    operationType.put(attributes, operation.later);
  }

  String spanName(Operation operation, String topic) {
    return dialect == SemconvDialect.V1_24
        ? topic + ' ' + operation.v24
        : operation.later + ' ' + topic;
  }

  private Field<String> text(String everywhere) {
    return field(AttributeKey::stringKey, everywhere);
  }

  private Field<String> text(@Nullable String v24, @Nullable String v44, @Nullable String v45) {
    return field(AttributeKey::stringKey, v24, v44, v45);
  }

  private <T> Field<T> field(Function<String, AttributeKey<T>> type, String everywhere) {
    return field(type, everywhere, everywhere, everywhere);
  }

  private <T> Field<T> field(
      Function<String, AttributeKey<T>> type,
      @Nullable String v24,
      @Nullable String v44,
      @Nullable String v45) {
    return new Field<>(names(v24, v44, v45).stream().map(type).toList());
  }

  private List<String> names(String everywhere) {
    return List.of(everywhere);
  }

  private List<String> names(@Nullable String v24, @Nullable String v44, @Nullable String v45) {
    return switch (dialect) {
      case V1_24 -> Stream.ofNullable(v24).toList();
      case V1_44 -> Stream.ofNullable(v44).toList();
      case V1_45 -> Stream.ofNullable(v45).toList();
      case DUP -> Stream.of(v24, v44, v45).filter(Objects::nonNull).distinct().toList();
    };
  }
}
