package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;

/** Reads the event, so that no later step meets a record that is none. */
final class ReadEvent implements Interceptor {

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    chain.delivery().event();
    return chain.proceed(chain.delivery());
  }
}
