package dev.onceward.dedupe.internal;

import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a whole transaction that lost against a concurrent one. */
final class TransactionRetry {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionRetry.class);

  private final RetryPolicy policy;

  TransactionRetry(RetryPolicy policy) {
    this.policy = policy;
  }

  <T> T run(Claim claim, Callable<T> attempt) throws Exception {
    for (int retry = 1; ; retry++) {
      try {
        return attempt.call();
      } catch (Exception e) {
        if (retry > policy.maxRetries() || !SqlStates.isRepeatable(e)) {
          throw e;
        }
        LOG.debug("Repeating the transaction of {}, retry {}", claim.describe(), retry, e);
      }
      Thread.sleep(policy.backoff(retry).toMillis());
    }
  }
}
