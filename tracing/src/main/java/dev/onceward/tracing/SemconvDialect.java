package dev.onceward.tracing;

/**
 * A version of the OpenTelemetry messaging conventions. They are not stable yet and three sets of
 * names are in use at once; pick the one your dashboards know.
 */
public enum SemconvDialect {
  /**
   * v1.24, as the OpenTelemetry Java agent 2.x writes it by default: {@code messaging.operation},
   * {@code messaging.kafka.consumer.group}, {@code messaging.kafka.message.offset}, spans named
   * {@code orders publish} and {@code orders process}.
   */
  V1_24,

  /**
   * v1.44: {@code messaging.operation.name} and {@code .type}, {@code
   * messaging.consumer.group.name}, {@code messaging.kafka.offset}, spans named {@code send orders}
   * and {@code process orders}.
   */
  V1_44,

  /** v1.45: as v1.44 with {@code messaging.system.name} and {@code kafka.*} attributes. */
  V1_45,

  /** The names of all of them side by side, for the time of a move. Spans are named as in v1.45. */
  DUP
}
