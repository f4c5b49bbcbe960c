package dev.onceward.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.LeasePolicy.OnExpiry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PoliciesTest {

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    assertThat(LeasePolicy.standard())
        .isEqualTo(new LeasePolicy(Duration.ofMinutes(30), OnExpiry.RETRY));
    assertThat(RetryPolicy.standard())
        .isEqualTo(
            new RetryPolicy(
                10,
                Duration.ofMinutes(10),
                Duration.ofMillis(100),
                Duration.ofSeconds(30),
                Set.of(),
                3));
    assertThat(RetryPolicy.none().maxAttempts()).isEqualTo(1);
  }

  @Test
  void whatIsBuiltIsWhatWasAskedFor() {
    assertThat(
            LeasePolicy.builder()
                .maximum(Duration.ofSeconds(1))
                .onExpiry(OnExpiry.DEAD_LETTER)
                .build())
        .isEqualTo(new LeasePolicy(Duration.ofSeconds(1), OnExpiry.DEAD_LETTER));
    assertThat(RetryPolicy.builder().maxCrashes(1).build().maxCrashes()).isEqualTo(1);
  }

  @Test
  void aValueOutOfRangeIsNamed() {
    assertRefused(
        "LeasePolicy.maximum", () -> LeasePolicy.builder().maximum(Duration.ZERO).build());
    assertRefused(
        "LeasePolicy.maximum", () -> LeasePolicy.builder().maximum(Duration.ofMillis(-1)).build());
    assertRefused("maxCrashes", () -> RetryPolicy.builder().maxCrashes(0).build());
    assertRefused("maxAttempts", () -> RetryPolicy.builder().maxAttempts(0).build());
    assertRefused("maxAge", () -> RetryPolicy.builder().maxAge(Duration.ZERO).build());
    assertRefused("initialDelay", () -> RetryPolicy.builder().initialDelay(Duration.ZERO).build());
    assertRefused("maxDelay", () -> RetryPolicy.builder().maxDelay(Duration.ZERO).build());
  }

  @Test
  void aPolicyDoesNotChangeWithWhatItWasMadeOf() {
    Set<Class<? extends Throwable>> types = new HashSet<>(Set.of(IllegalStateException.class));
    RetryPolicy policy = RetryPolicy.builder().permanent(types).build();
    types.clear();
    assertThat(policy.permanent()).containsExactly(IllegalStateException.class);
  }

  private static void assertRefused(String name, ThrowingCallable build) {
    assertThatThrownBy(build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(name);
  }
}
