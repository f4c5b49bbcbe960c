package dev.onceward.it.start;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * One thing that is wrong, and what the one line must name.
 *
 * @param name what is wrong
 * @param withPasswords whether it is about the broker that asks for passwords
 * @param change spoils a setup that works
 * @param named what the message must contain
 */
record StartFault(String name, boolean withPasswords, Change change, List<String> named) {

  /** For a start that uses up its timeout. */
  static final Duration SHORT = Duration.ofSeconds(2);

  /** Spoils a setup that works. */
  @FunctionalInterface
  interface Change {
    void in(ConsumerSetup setup) throws SQLException;
  }

  static StartFault plain(String name, Change change, String... named) {
    return new StartFault(name, false, change, List.of(named));
  }

  static StartFault withPasswords(String name, Change change, String... named) {
    return new StartFault(name, true, change, List.of(named));
  }

  void in(ConsumerSetup setup) throws SQLException {
    change.in(setup);
  }

  @Override
  public String toString() {
    return name;
  }
}
