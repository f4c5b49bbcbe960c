package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxOutcome;
import java.util.List;

/**
 * What becomes of a batch.
 *
 * @param outcomes by position
 * @param fresh the positions whose effect is to be applied
 * @param settlement what to write before the effects run
 * @param fences what must hold before the commit
 */
record Decision(
    List<InboxOutcome> outcomes,
    List<Integer> fresh,
    Settlement settlement,
    List<FenceClaim> fences) {}
