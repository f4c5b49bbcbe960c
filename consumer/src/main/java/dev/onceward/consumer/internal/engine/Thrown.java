package dev.onceward.consumer.internal.engine;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What handlers throw, made safe to log. */
final class Thrown {

  private Thrown() {}

  /**
   * The error itself, or a stand-in at the same place when asking the error or one of its causes
   * for its text fails in turn: that must stop neither the consumer nor the dead letter.
   */
  static Throwable printable(Throwable error) {
    try {
      read(error, Collections.newSetFromMap(new IdentityHashMap<>()));
      return error;
    } catch (Throwable unreadable) {
      IllegalStateException standIn =
          new IllegalStateException(
              error.getClass().getName()
                  + ", whose text cannot be read ("
                  + unreadable.getClass().getName()
                  + ")");
      standIn.setStackTrace(error.getStackTrace());
      return standIn;
    }
  }

  private static void read(@Nullable Throwable error, Set<Throwable> seen) {
    if (error == null || !seen.add(error)) {
      return;
    }
    String unused = error.toString();
    read(error.getCause(), seen);
    for (Throwable suppressed : error.getSuppressed()) {
      read(suppressed, seen);
    }
  }
}
