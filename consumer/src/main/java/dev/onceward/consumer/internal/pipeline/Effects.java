package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;

/** The end of the steps per delivery: hands the prepared delivery to the transactional half. */
final class Effects implements Interceptor {

  private final OnceInTransaction transactions;

  Effects(OnceInTransaction transactions) {
    this.transactions = transactions;
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    return transactions.apply(PipelineChain.of(chain).prepare());
  }
}
