package dev.onceward.dedupe.hygiene;

import static java.util.Objects.requireNonNull;

/**
 * One piece of state that was left on a connection.
 *
 * @param kind what kind of state
 * @param name the name of the setting, table, channel or cursor, of several of them, or how many;
 *     empty where there is nothing to name. Never a setting's value
 */
public record Leak(LeakKind kind, String name) {
  /** Checks that nothing is missing. */
  public Leak {
    requireNonNull(kind, "kind");
    requireNonNull(name, "name");
  }

  /** A leak without a name. */
  public static Leak of(LeakKind kind) {
    return new Leak(kind, "");
  }

  /** What was left and the fix, for messages of one line. */
  public String describe() {
    return kind.text() + (name.isEmpty() ? "" : ", " + name) + " (" + kind.fix() + ")";
  }
}
