package dev.onceward.producer.internal;

import dev.onceward.envelope.PayloadMapper;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.envelope.TypeNaming;
import dev.onceward.producer.ContentMode;
import dev.onceward.tracing.EventTracing;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a publisher was built with. */
public record PublisherConfig(
    @Nullable URI source,
    ContentMode mode,
    TypeNaming typeNaming,
    SizePolicy sizePolicy,
    PayloadMapper payloadMapper,
    EventTracing tracing,
    Duration closeTimeout) {}
