package dev.onceward.tracing.internal;

import dev.onceward.tracing.ProcessRelation;
import dev.onceward.tracing.SemconvDialect;

/** What a tracing was built with. */
public record TracingConfig(
    SemconvDialect dialect, ProcessRelation processRelation, boolean recordMessageKey) {}
