package dev.onceward.consumer.internal.offsets;

/** A text is not a note of ours, or not an intact one. It never leaves the package. */
final class MalformedNoteException extends Exception {

  MalformedNoteException(String message) {
    // no stack: foreign metadata is nothing out of the ordinary
    super(message, null, false, false);
  }
}
