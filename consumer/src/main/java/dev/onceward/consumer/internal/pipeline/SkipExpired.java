package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/** Skips events whose {@code ce_expirytime} has passed, on the first try and on retries. */
final class SkipExpired implements Interceptor {

  private final Clock clock;

  SkipExpired(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    Optional<Instant> deadline = chain.delivery().deadline();
    if (deadline.isPresent() && deadline.get().isBefore(clock.instant())) {
      return Outcome.EXPIRED;
    }
    return chain.proceed(chain.delivery());
  }
}
