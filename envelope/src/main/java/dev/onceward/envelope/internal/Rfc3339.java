package dev.onceward.envelope.internal;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * RFC 3339 timestamps. Checking one allocates nothing, which {@code java.time} parsers cannot do
 * and which keeps the read of an event cheap.
 */
public final class Rfc3339 {
  private static final int FRACTION = 19;

  private Rfc3339() {}

  /** Whether it is an RFC 3339 {@code date-time}; a leap second (:60) is one. */
  public static boolean isValid(byte[] t) {
    if (t.length < FRACTION + 1
        || t[4] != '-'
        || t[7] != '-'
        || (t[10] != 'T' && t[10] != 't')
        || t[13] != ':'
        || t[16] != ':'
        || !digits(t, 0, 4)
        || !digits(t, 5, 2)
        || !digits(t, 8, 2)
        || !digits(t, 11, 2)
        || !digits(t, 14, 2)
        || !digits(t, 17, 2)) {
      return false;
    }
    int month = number(t, 5, 2);
    int day = number(t, 8, 2);
    return month >= 1
        && month <= 12
        && day >= 1
        && (day <= 28 || day <= YearMonth.of(number(t, 0, 4), month).lengthOfMonth())
        && number(t, 11, 2) <= 23
        && number(t, 14, 2) <= 59
        && number(t, 17, 2) <= 60
        && validOffset(t, endOfFraction(t));
  }

  public static boolean isValid(String text) {
    return isValid(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The time of a {@linkplain #isValid valid} timestamp. A leap second is the second that follows
   * it; digits beyond nanoseconds are cut; an offset that java.time does not know (over 18 hours)
   * becomes UTC.
   */
  public static OffsetDateTime parse(String valid) {
    byte[] t = valid.getBytes(StandardCharsets.US_ASCII);
    int end = endOfFraction(t);
    int nanos = 0;
    for (int i = FRACTION + 1; i < FRACTION + 10; i++) {
      nanos = nanos * 10 + (i < end ? t[i] - '0' : 0);
    }
    int second = number(t, 17, 2);
    LocalDateTime local =
        LocalDateTime.of(
            number(t, 0, 4),
            number(t, 5, 2),
            number(t, 8, 2),
            number(t, 11, 2),
            number(t, 14, 2),
            Math.min(second, 59),
            nanos);
    if (second == 60) {
      local = local.plusSeconds(1);
    }
    if (t[end] == 'Z' || t[end] == 'z') {
      return local.atOffset(ZoneOffset.UTC);
    }
    int minutes = number(t, end + 1, 2) * 60 + number(t, end + 4, 2);
    int signed = t[end] == '-' ? -minutes : minutes;
    return minutes > 18 * 60
        ? local.minusMinutes(signed).atOffset(ZoneOffset.UTC)
        : local.atOffset(ZoneOffset.ofTotalSeconds(signed * 60));
  }

  /** The text of a time that {@link #isWritable}. */
  static String format(OffsetDateTime time) {
    return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(inWholeMinutes(time));
  }

  /** RFC 3339 knows four-digit years only. */
  static boolean isWritable(OffsetDateTime time) {
    if (time.getYear() < 0 || time.getYear() > 9999) {
      return false; // and near the ends of java.time the offset could not be changed
    }
    int year = inWholeMinutes(time).getYear();
    return year >= 0 && year <= 9999;
  }

  private static OffsetDateTime inWholeMinutes(OffsetDateTime time) {
    boolean wholeMinutes = time.getOffset().getTotalSeconds() % 60 == 0;
    return wholeMinutes ? time : time.withOffsetSameInstant(ZoneOffset.UTC);
  }

  private static int endOfFraction(byte[] t) {
    int i = FRACTION;
    if (t[i] == '.') {
      do {
        i++;
      } while (i < t.length && t[i] >= '0' && t[i] <= '9');
    }
    return i;
  }

  private static boolean validOffset(byte[] t, int at) {
    if (at == FRACTION + 1 || at >= t.length) {
      return false;
    }
    if (t[at] == 'Z' || t[at] == 'z') {
      return at + 1 == t.length;
    }
    return (t[at] == '+' || t[at] == '-')
        && at + 6 == t.length
        && t[at + 3] == ':'
        && digits(t, at + 1, 2)
        && digits(t, at + 4, 2)
        && number(t, at + 1, 2) <= 23
        && number(t, at + 4, 2) <= 59;
  }

  private static boolean digits(byte[] t, int at, int count) {
    for (int i = at; i < at + count; i++) {
      if (t[i] < '0' || t[i] > '9') {
        return false;
      }
    }
    return true;
  }

  private static int number(byte[] t, int at, int count) {
    int n = 0;
    for (int i = at; i < at + count; i++) {
      n = n * 10 + t[i] - '0';
    }
    return n;
  }
}
