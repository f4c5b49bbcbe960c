package dev.onceward.it.guarantee;

import dev.onceward.consumer.ConsumerHealth;
import java.util.Optional;

/** One consumer of a trial's group. Thread-safe. */
interface Member {

  String name();

  /** Whether it can be killed like a process. */
  boolean isProcess();

  /** Stops gracefully and waits for it. */
  void leave();

  /** Ends its process at once, in the midst of whatever it does. */
  void kill();

  /** How it fares, where that can be asked. */
  Optional<ConsumerHealth> health();
}
