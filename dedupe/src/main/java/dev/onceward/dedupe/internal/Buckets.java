package dev.onceward.dedupe.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which slice of time an event's dedupe row belongs to. Only the event itself decides, never the
 * clock: the same event always comes to the same bucket, so a key that is unique in its bucket is
 * unique at all.
 *
 * @param seconds how much time a bucket holds
 */
public record Buckets(int seconds) {

  /** Of events whose time is not known; they have no age. */
  public static final int UNDATED = Integer.MIN_VALUE;

  /** Of all events before it. */
  public static final int FIRST = UNDATED + 1;

  /** RFC 9562, section 5.7: the first 48 bits are milliseconds since 1970. */
  private static final Pattern UUID_V7 =
      Pattern.compile(
          "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}");

  private static final int UUID_LENGTH = 36;
  private static final int VERSION_AT = 14;
  private static final int HEX = 16;
  private static final Duration LONGEST_BEFORE = Duration.ofDays(30);
  private static final Duration LONGEST_AFTER = Duration.ofDays(3_650);

  /**
   * Buckets of a width.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public static Buckets of(Duration width) {
    if (width.compareTo(Duration.ofHours(1)) < 0
        || width.compareTo(Duration.ofDays(366)) > 0
        || !width.equals(Duration.ofSeconds(width.toSeconds()))) {
      throw new IllegalArgumentException(
          "bucketWidth must be whole seconds, an hour to 366 days: " + width);
    }
    return new Buckets((int) width.toSeconds());
  }

  /**
   * The bucket of an event. The time in its id is believed first, for it is the same whenever the
   * event is sent; but many an id only looks like a UUIDv7, and its time is then far from that of
   * the event.
   */
  int of(String eventId, @Nullable Instant eventTime) {
    Instant inId = timeIn(eventId);
    if (inId != null && (eventTime == null || isPlausible(inId, eventTime))) {
      return at(inId);
    }
    return eventTime == null ? UNDATED : at(eventTime);
  }

  private static @Nullable Instant timeIn(String eventId) {
    if (eventId.length() != UUID_LENGTH
        || eventId.charAt(VERSION_AT) != '7'
        || !UUID_V7.matcher(eventId).matches()) {
      return null;
    }
    return Instant.ofEpochMilli(
        Long.parseLong(eventId.substring(0, 8) + eventId.substring(9, 13), HEX));
  }

  /** Events are sent again with a later time, and made up today of what was long ago. */
  private static boolean isPlausible(Instant inId, Instant eventTime) {
    long later = inId.getEpochSecond() - eventTime.getEpochSecond();
    return later >= -LONGEST_BEFORE.toSeconds() && later <= LONGEST_AFTER.toSeconds();
  }

  /** The bucket of a time. */
  public int at(Instant time) {
    long bucket = Math.floorDiv(time.getEpochSecond(), (long) seconds);
    return (int) Math.min(Math.max(bucket, FIRST), Integer.MAX_VALUE);
  }
}
