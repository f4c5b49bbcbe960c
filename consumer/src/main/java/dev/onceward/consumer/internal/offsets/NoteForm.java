package dev.onceward.consumer.internal.offsets;

/**
 * One way to write a note, whole or cut off. Every part it can be cut off at is an item; each
 * prefix of the items is a note of its own that says less, and never anything wrong.
 */
interface NoteForm {

  /** How many items may be kept, within what a reader takes. */
  int items();

  /** The note with the first items only. */
  PackedBody packed(int items);

  /** The offset up to which the first items tell what is done. */
  long coveredTo(int items);
}
