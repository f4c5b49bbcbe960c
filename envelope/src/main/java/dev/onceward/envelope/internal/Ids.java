package dev.onceward.envelope.internal;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;

/** UUIDv7 ids: unique, and near each other in an index when they are made near each other. */
final class Ids {
  // Thread-safe, and one for all so that ids of one millisecond keep their order.
  private static final TimeBasedEpochGenerator UUID_V7 = Generators.timeBasedEpochGenerator();

  private Ids() {}

  static String next() {
    return UUID_V7.generate().toString();
  }
}
