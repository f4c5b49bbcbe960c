package dev.onceward.tracing.internal;

import io.opentelemetry.context.Scope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts context and log context back as they were, once, and only on the thread it belongs to. */
final class RestoringScope implements Scope {

  private static final Logger LOG = LoggerFactory.getLogger(RestoringScope.class);

  private final Scope scope;
  private final LogContext before;
  private final Thread owner = Thread.currentThread();
  private boolean closed;

  RestoringScope(Scope scope, LogContext before) {
    this.scope = scope;
    this.before = before;
  }

  @Override
  public void close() {
    if (Thread.currentThread() != owner) {
      // restoring here would put one thread's log context on another
      LOG.warn(
          "A scope opened on thread {} was closed on {}; close it where it was opened",
          owner.getName(),
          Thread.currentThread().getName());
      return;
    }
    if (!closed) {
      closed = true;
      scope.close();
      before.apply();
    }
  }
}
