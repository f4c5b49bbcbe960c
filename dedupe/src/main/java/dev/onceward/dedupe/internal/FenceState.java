package dev.onceward.dedupe.internal;

import java.util.OptionalLong;

/**
 * What the database holds about a fence.
 *
 * @param epoch of the fence taken last
 * @param nextOffset the offset after the last one committed, if any was
 */
public record FenceState(long epoch, OptionalLong nextOffset) {}
