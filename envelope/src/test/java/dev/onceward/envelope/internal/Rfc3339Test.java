package dev.onceward.envelope.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Rfc3339Test {

  @Property
  void everyTimeComesBackAsItWasWritten(
      @ForAll @LongRange(min = -62_000_000_000L, max = 253_000_000_000L) long second,
      @ForAll @IntRange(min = 0, max = 999_999_999) int nanos,
      @ForAll @IntRange(min = -1_080, max = 1_080) int minutes) {
    OffsetDateTime time =
        Instant.ofEpochSecond(second, nanos).atOffset(ZoneOffset.ofTotalSeconds(minutes * 60));
    String text = Rfc3339.format(time);

    assertThat(Rfc3339.isValid(text)).as(text).isTrue();
    assertThat(Rfc3339.parse(text)).isEqualTo(time);
    assertThat(OffsetDateTime.parse(text)).isEqualTo(time);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-31t09:30:00z, 2026-01-31T09:30:00Z",
    "2024-02-29T00:00:00.5+05:30, 2024-02-29T00:00:00.500+05:30",
    "2026-01-31T09:30:00.1234567891234Z, 2026-01-31T09:30:00.123456789Z",
    "2016-12-31T23:59:60Z, 2017-01-01T00:00:00Z",
    "2026-01-01T00:00:00-00:00, 2026-01-01T00:00:00Z",
    "2026-01-02T00:00:00+23:30, 2026-01-01T00:30:00Z"
  })
  void whatTheStandardAllowsIsUnderstood(String text, OffsetDateTime time) {
    assertThat(Rfc3339.isValid(text)).isTrue();
    assertThat(Rfc3339.parse(text)).isEqualTo(time);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026",
        "2026-01-31",
        "2026-01-31T09:30Z",
        "2026-01-31T09:30:00",
        "2026-01-31 09:30:00Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.",
        "2026-01-01T00:00:00ZZ",
        "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T00:00:00+0000",
        "+2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z[UTC]",
        "２026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.5",
        "2026-01-01T00:00:00+"
      })
  void everythingElseIsNot(String text) {
    assertThat(Rfc3339.isValid(text)).isFalse();
  }
}
