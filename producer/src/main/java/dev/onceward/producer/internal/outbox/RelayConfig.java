package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.UnknownTopics;
import dev.onceward.tracing.EventTracing;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;

/** What a relay was built with. */
public record RelayConfig(
    Map<?, ?> kafkaProperties,
    DataSource dataSource,
    OutboxTables tables,
    String name,
    Duration leaseDuration,
    Duration closeTimeout,
    Duration sweepInterval,
    int maxInFlight,
    UnknownTopics unknownTopics,
    EventTracing tracing) {}
