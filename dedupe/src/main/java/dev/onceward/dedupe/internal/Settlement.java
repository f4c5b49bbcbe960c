package dev.onceward.dedupe.internal;

import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What is to be written once the claims of a batch are judged.
 *
 * @param takenBack dedupe rows that were inserted for events which are not fresh after all
 * @param added versions of entities of which none was applied before
 * @param moved versions of entities whose row is there, and locked
 */
public record Settlement(
    SortedSet<EventRow> takenBack,
    SortedMap<EntityRow.Own, Long> added,
    SortedMap<EntityRow.Own, Long> moved) {

  boolean isEmpty() {
    return takenBack.isEmpty() && added.isEmpty() && moved.isEmpty();
  }
}
