package dev.onceward.dedupe.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Which buckets get a partition of their own.
 *
 * @param buckets how time is sliced
 * @param window how far back events are remembered; empty: for ever
 */
public record PartitionPlan(Buckets buckets, Optional<Duration> window) {
  /** How far ahead; long enough to notice that nobody does it any more. */
  private static final Duration AHEAD = Duration.ofDays(7);

  private static final int LEAST_AHEAD = 3;
  private static final int SECONDS_OF_DAY = 86_400;

  /**
   * The buckets within the window and some ahead.
   *
   * @param now the database's time in seconds since 1970
   * @param keptFrom the oldest bucket that is kept
   */
  public List<Integer> wanted(long now, int keptFrom) {
    long seconds = buckets.seconds();
    long today = Math.floorDiv(now, seconds);
    long past =
        window.map(time -> Math.floorDiv(now - time.toSeconds(), seconds)).orElse(today - 1);
    long ahead = Math.max(LEAST_AHEAD, AHEAD.toSeconds() / seconds);
    return IntStream.rangeClosed((int) Math.max(past, keptFrom), (int) (today + ahead))
        .boxed()
        .toList();
  }

  /** What the name of a bucket's partition ends with: the time it begins, in UTC. */
  public static String suffix(Buckets buckets, int bucket) {
    boolean wholeDays = buckets.seconds() % SECONDS_OF_DAY == 0;
    return DateTimeFormatter.ofPattern(wholeDays ? "yyyyMMdd" : "yyyyMMdd_HHmmss", Locale.ROOT)
        .withZone(ZoneOffset.UTC)
        .format(Instant.ofEpochSecond((long) bucket * buckets.seconds()));
  }
}
