package dev.onceward.dedupe.internal;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a whole transaction that lost against a concurrent one. */
final class TransactionRetry {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionRetry.class);

  private final RetryPolicy policy;
  private final Dialect dialect;

  TransactionRetry(RetryPolicy policy, Dialect dialect) {
    this.policy = policy;
    this.dialect = dialect;
  }

  /** {@code what} names the transaction in the log. */
  <T> T run(Supplier<String> what, Callable<T> attempt) throws Exception {
    for (int retry = 1; ; retry++) {
      try {
        return attempt.call();
      } catch (Exception e) {
        if (retry > policy.maxRetries() || !SqlStates.isRepeatable(e, dialect)) {
          throw e;
        }
        LOG.atDebug()
            .setCause(e)
            .addArgument(what)
            .addArgument(retry)
            .log("Repeating the transaction of {}, retry {}");
      }
      Thread.sleep(policy.backoff(retry).toMillis());
    }
  }
}
