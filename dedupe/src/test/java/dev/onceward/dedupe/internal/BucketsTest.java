package dev.onceward.dedupe.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class BucketsTest {
  private static final Instant TIME = Instant.parse("2026-11-30T21:00:00Z");
  private static final int DAY = 86_400;

  private final Buckets days = new Buckets(DAY);

  @Test
  void anEventBelongsToTheUtcDayOfItsOwnTime() {
    assertThat(days.of("e1", TIME)).isEqualTo(20_787);
    assertThat(days.of("e1", Instant.parse("2026-11-30T23:59:59.999Z"))).isEqualTo(20_787);
    assertThat(days.of("e1", Instant.parse("2026-12-01T00:00:00Z"))).isEqualTo(20_788);
    assertThat(days.of("e1", Instant.parse("1969-12-31T23:59:59Z"))).isEqualTo(-1);
  }

  @Test
  void theTimeInAUuidOfVersionSevenIsBelievedFirst() {
    String id = uuidV7(Instant.parse("2026-11-02T10:00:00Z"));

    assertThat(days.of(id, TIME)).isEqualTo(20_759);
    assertThat(days.of(id.toUpperCase(java.util.Locale.ROOT), null)).isEqualTo(20_759);
  }

  @Test
  void whatOnlyLooksLikeOneIsNot() {
    String id = uuidV7(Instant.EPOCH);
    assertThat(days.of(id, null)).isZero();

    assertThat(days.of(id.replace("-7", "-4"), TIME)).isEqualTo(20_787);
    assertThat(days.of(id.substring(0, 19) + "0" + id.substring(20), TIME)).isEqualTo(20_787);
    assertThat(days.of("g" + id.substring(1), TIME)).isEqualTo(20_787);
    assertThat(days.of(id + " ", TIME)).isEqualTo(20_787);
    assertThat(days.of("urn:uuid:" + id, TIME)).isEqualTo(20_787);
  }

  // ids from a random generator that knows nothing of versions look like one in one of 64 cases
  @Test
  void aTimeInAnIdThatIsFarFromTheTimeOfTheEventIsNotBelieved() {
    for (String far : new String[] {"1999-06-01T00:00:00Z", "2026-10-29T00:00:00Z"}) {
      assertThat(days.of(uuidV7(Instant.parse(far)), TIME)).as(far).isEqualTo(20_787);
    }
    assertThat(days.of(uuidV7(Instant.parse("4711-01-01T00:00:00Z")), TIME)).isEqualTo(20_787);

    Instant longAgo = Instant.parse("2024-01-01T00:00:00Z");
    assertThat(days.of(uuidV7(TIME), longAgo)).as("made up today").isEqualTo(20_787);
    assertThat(days.of(uuidV7(TIME), TIME.plus(Duration.ofDays(20)))).isEqualTo(20_787);
    assertThat(days.of(uuidV7(TIME), Instant.MIN)).isEqualTo(Buckets.FIRST);
    assertThat(days.of(uuidV7(TIME), Instant.MAX)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void anEventWithoutATimeIsUndatedAndNoTimeIs() {
    assertThat(days.of("e1", null)).isEqualTo(Buckets.UNDATED);
    assertThat(days.of("e1", Instant.MIN)).isEqualTo(Buckets.FIRST);
    assertThat(days.of("e1", Instant.MAX)).isEqualTo(Integer.MAX_VALUE);
  }

  @Property
  void timesOfOneBucketAreLessThanItsWidthApart(
      @ForAll("times") Instant one, @ForAll("times") Instant other) {
    boolean same = days.of("e1", one) == days.of("e1", other);

    if (same) {
      assertThat(Duration.between(one, other).abs()).isLessThan(Duration.ofDays(1));
    } else {
      assertThat(days.of("e1", one) < days.of("e1", other)).isEqualTo(one.isBefore(other));
    }
  }

  @net.jqwik.api.Provide
  net.jqwik.api.Arbitrary<Instant> times() {
    return net.jqwik.api.Arbitraries.longs()
        .between(-4L * DAY * 1_000, 4L * DAY * 1_000)
        .map(Instant::ofEpochMilli);
  }

  @Test
  void thePlanCoversTheWindowAndSomeDaysAhead() {
    PartitionPlan month = new PartitionPlan(days, Optional.of(Duration.ofDays(30)));
    long now = TIME.getEpochSecond();

    assertThat(month.wanted(now, Buckets.FIRST)).hasSize(38).startsWith(20_757).endsWith(20_794);
    assertThat(month.wanted(now, 20_780)).startsWith(20_780).endsWith(20_794);
    assertThat(new PartitionPlan(days, Optional.empty()).wanted(now, Buckets.FIRST))
        .startsWith(20_786)
        .hasSize(9);
    assertThat(
            new PartitionPlan(new Buckets(30 * DAY), Optional.of(Duration.ofDays(60)))
                .wanted(now, Buckets.FIRST))
        .hasSize(6);
  }

  @Test
  void partitionsAreNamedByTheTimeTheyBeginAt() {
    assertThat(PartitionPlan.suffix(days, 20_787)).isEqualTo("20261130");
    assertThat(PartitionPlan.suffix(new Buckets(3_600), 20_787 * 24 + 5))
        .isEqualTo("20261130_050000");
  }

  private static String uuidV7(Instant time) {
    String millis = String.format(java.util.Locale.ROOT, "%012x", time.toEpochMilli());
    return millis.substring(0, 8) + "-" + millis.substring(8) + "-7abc-9def-0123456789ab";
  }
}
