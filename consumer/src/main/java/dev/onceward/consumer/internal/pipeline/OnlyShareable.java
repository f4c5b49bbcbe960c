package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;

/** Ends the preparation of what is not handled together with others, before it is decoded. */
final class OnlyShareable implements Interceptor {

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    return PipelineChain.of(chain).route().isShareable()
        ? chain.proceed(chain.delivery())
        : Outcome.UNHANDLED;
  }
}
