package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;

/**
 * The end of the steps per delivery when its effect is shared: keeps what they found out. The
 * outcome is decided later, for all that share it.
 */
final class Prepared implements Interceptor {

  @Override
  public Outcome intercept(Chain chain) {
    PipelineChain pipeline = PipelineChain.of(chain);
    pipeline.prepared(pipeline.prepare());
    return Outcome.APPLIED;
  }
}
