package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.RelayCounts;
import java.util.concurrent.atomic.LongAdder;

/** What a relay counts. Thread-safe. */
final class Counters {
  final LongAdder sent = new LongAdder();
  final LongAdder deleted = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder dead = new LongAdder();
  final LongAdder behind = new LongAdder();
  final LongAdder taken = new LongAdder();
  final LongAdder givenUp = new LongAdder();
  final LongAdder lost = new LongAdder();
  final LongAdder overlooked = new LongAdder();

  RelayCounts snapshot() {
    return new RelayCounts(
        sent.sum(),
        deleted.sum(),
        failed.sum(),
        dead.sum(),
        behind.sum(),
        taken.sum(),
        givenUp.sum(),
        lost.sum(),
        overlooked.sum());
  }
}
