package dev.onceward.dedupe.internal;

import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What the statement that claims a batch found and did.
 *
 * @param leaked the bound settings that had a value already, comma-separated; empty: none. Then
 *     nothing else is to be believed
 * @param bucketSeconds how much time a bucket of the tables holds; empty: not looked up
 * @param keptFrom the oldest bucket within the window
 * @param unknownHandlers the handlers that have no number yet; nothing is claimed for them
 * @param inserted the dedupe rows that were not there and are now
 * @param applied the versions that were applied last, where there are any. Where {@code settled},
 *     any version that leads to the same judgement
 * @param fences the fences looked at that exist
 * @param written versions that the statement has written already, for the first claim of each row;
 *     all claims of these rows are fresh
 * @param settled whether the versions of fresh claims are written already
 */
public record Facts(
    String leaked,
    OptionalInt bucketSeconds,
    int keptFrom,
    Set<String> unknownHandlers,
    Set<EventRow> inserted,
    Map<EntityRow, Long> applied,
    Map<FenceKey, FenceState> fences,
    Map<EntityRow.Own, Long> written,
    boolean settled) {}
