package dev.onceward.consumer.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.DeadLetterReason;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeaseLostException;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.consumer.VersionGapPolicy;
import dev.onceward.consumer.VersionGapPolicy.Then;
import dev.onceward.consumer.internal.failure.Decision.DeadLetter;
import dev.onceward.consumer.internal.failure.Decision.Retry;
import dev.onceward.consumer.internal.failure.Decision.SetAside;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.dedupe.UnboundSettingException;
import dev.onceward.envelope.EventFormatException;
import dev.onceward.envelope.PayloadException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class FailuresTest {

  private static final RetryPolicy POLICY =
      RetryPolicy.builder()
          .maxAttempts(3)
          .maxAge(Duration.ofMinutes(1))
          .initialDelay(Duration.ofMillis(100))
          .maxDelay(Duration.ofSeconds(2))
          .permanent(Set.of(UncheckedIOException.class))
          .build();

  private final Failures longest = new Failures(POLICY, bound -> bound);

  @Test
  void anOrdinaryFailureIsRetriedUntilTheAttemptsAreUsedUp() {
    RuntimeException failure = new IllegalStateException("down");
    assertThat(longest.decide(failure, 1, 1, Duration.ZERO))
        .isEqualTo(new Retry(Duration.ofMillis(100), true));
    assertThat(longest.decide(failure, 2, 2, Duration.ZERO))
        .isEqualTo(new Retry(Duration.ofMillis(200), true));
    assertThat(longest.decide(failure, 3, 3, Duration.ZERO))
        .isEqualTo(new DeadLetter(DeadLetterReason.ATTEMPTS_EXHAUSTED));
  }

  @Test
  void noRetryStartsLaterThanTheMaximumAge() {
    assertThat(longest.decide(new IOException(), 1, 1, Duration.ofMillis(59_901)))
        .isEqualTo(new DeadLetter(DeadLetterReason.ATTEMPTS_EXHAUSTED));
    assertThat(longest.decide(new IOException(), 1, 1, Duration.ofMillis(59_900)))
        .isInstanceOf(Retry.class);
  }

  @Test
  void anUnavailableInboxIsRetriedForEverAndUsesNoAttempt() {
    assertThat(
            longest.decide(
                new InboxUnavailableException("down", null), 3, 1_000, Duration.ofDays(1)))
        .isEqualTo(new Retry(Duration.ofSeconds(2), false));
  }

  @Test
  void whatNoRetryCanMendIsDeadLetteredAtOnceWithItsReason() {
    assertReason(new EventFormatException("no ce_id"), DeadLetterReason.DESERIALIZATION);
    assertReason(new PayloadException("not JSON", null), DeadLetterReason.DESERIALIZATION);
    assertReason(new InvalidEventException("no version"), DeadLetterReason.VALIDATION);
    assertReason(new UnhandledEventException("nobody"), DeadLetterReason.UNHANDLED_TYPE);
    assertReason(new ConsumerCrashException("3 times"), DeadLetterReason.CONSUMER_CRASH);
    assertReason(new PermanentFailure("negative amount"), DeadLetterReason.PERMANENT);
    assertReason(new PermanentFailure("sub") {}, DeadLetterReason.PERMANENT);
    assertReason(
        new UncheckedIOException(new IOException("configured")), DeadLetterReason.PERMANENT);
  }

  @Test
  void ofAKeyThatKeepsFailingARecordGetsOneTryUnlessTheInboxIsToBlame() {
    assertThat(longest.decideOnOnlyTry(new IllegalStateException(), 1))
        .isEqualTo(new DeadLetter(DeadLetterReason.ATTEMPTS_EXHAUSTED));
    assertThat(longest.decideOnOnlyTry(new InboxUnavailableException("down", null), 1))
        .isEqualTo(new Retry(Duration.ofMillis(100), false));
  }

  @Test
  void errorsAreRetriedLikeExceptions() {
    assertThat(longest.decide(new StackOverflowError(), 1, 1, Duration.ZERO))
        .isInstanceOf(Retry.class);
  }

  @Test
  void anExpiredLeaseFollowsItsPolicy() {
    assertThat(onExpiry(OnExpiry.RETRY).decide(lost(LeaseLoss.EXPIRED), 1, 1, Duration.ZERO))
        .isEqualTo(new Retry(Duration.ofMillis(100), true));
    assertThat(onExpiry(OnExpiry.RETRY).decide(lost(LeaseLoss.EXPIRED), 3, 3, Duration.ZERO))
        .isEqualTo(new DeadLetter(DeadLetterReason.ATTEMPTS_EXHAUSTED));
    assertThat(onExpiry(OnExpiry.DEAD_LETTER).decide(lost(LeaseLoss.EXPIRED), 1, 1, Duration.ZERO))
        .isEqualTo(new DeadLetter(DeadLetterReason.LEASE_EXPIRED));
  }

  @Test
  void aLostLeaseIsNoPermanentFailureWhateverTypesAreNamed() {
    Failures strict =
        new Failures(
            RetryPolicy.builder().permanent(Set.of(RuntimeException.class)).build(),
            new LeasePolicy(Duration.ofMinutes(1), OnExpiry.RETRY),
            VersionGapPolicy.standard(),
            bound -> bound);
    assertThat(strict.decide(lost(LeaseLoss.EXPIRED), 1, 1, Duration.ZERO))
        .isInstanceOf(Retry.class);
  }

  @Test
  void aRevokedLeaseIsNeverDeadLetteredAsExpired() {
    assertThat(onExpiry(OnExpiry.DEAD_LETTER).decide(lost(LeaseLoss.REVOKED), 1, 1, Duration.ZERO))
        .isInstanceOf(Retry.class);
  }

  @Test
  void aSettingThatTheInboxDoesNotBindUsesUpNoAttempt() {
    assertThat(
            longest.decide(
                new UnboundSettingException("app.tenant_id"), 3, 3, Duration.ofMinutes(5)))
        .isInstanceOfSatisfying(Retry.class, retry -> assertThat(retry.usesAttempt()).isFalse());
  }

  @Test
  void aGapIsLookedAtForTheLastTimeWhenItsWaitIsOver() {
    Failures gaps =
        new Failures(
            POLICY,
            LeasePolicy.standard(),
            new VersionGapPolicy(Duration.ofSeconds(25), Then.DEAD_LETTER),
            bound -> bound);
    assertThat(gaps.decideOnGap(9, Duration.ofMillis(24_900)))
        .isEqualTo(new SetAside(Duration.ofMillis(100), false));
    assertThat(gaps.decideOnGap(9, Duration.ofSeconds(20)))
        .isEqualTo(new SetAside(Duration.ofSeconds(2), false));
    assertThat(gaps.decideOnGap(10, Duration.ofSeconds(25)))
        .isEqualTo(new DeadLetter(DeadLetterReason.VERSION_GAP));
  }

  @Property
  void theWaitIsAnythingFromZeroToABoundThatDoublesUpToTheMaximum(
      @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE) int failures) {
    InboxUnavailableException failure = new InboxUnavailableException("down", null);
    Retry upper = (Retry) longest.decide(failure, 1, failures, Duration.ZERO);
    Retry lower = (Retry) new Failures(POLICY, b -> 0).decide(failure, 1, failures, Duration.ZERO);
    long expected = failures > 5 ? 2_000 : Math.min(2_000, 100L << (failures - 1));
    assertThat(upper.delay()).isEqualTo(Duration.ofMillis(expected));
    assertThat(lower.delay()).isZero();
  }

  private static Failures onExpiry(OnExpiry onExpiry) {
    return new Failures(
        POLICY,
        new LeasePolicy(Duration.ofMinutes(1), onExpiry),
        VersionGapPolicy.standard(),
        bound -> bound);
  }

  private static LeaseLostException lost(LeaseLoss loss) {
    return new LeaseLostException(loss, "lost", new InterruptedException());
  }

  private void assertReason(Throwable failure, DeadLetterReason reason) {
    assertThat(longest.decide(failure, 1, 1, Duration.ZERO)).isEqualTo(new DeadLetter(reason));
  }
}
