package dev.onceward.consumer;

import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxUnavailableException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the inbox make room and forget what is old, at once and then once an hour. */
final class InboxUpkeep implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(InboxUpkeep.class);
  private static final long EVERY_MINUTES = 60;

  private final ScheduledThreadPoolExecutor executor;
  private volatile boolean closed;

  InboxUpkeep(Inbox inbox, String threadName) {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    Future<?> unused =
        executor.scheduleWithFixedDelay(() -> maintain(inbox), 0, EVERY_MINUTES, TimeUnit.MINUTES);
  }

  private void maintain(Inbox inbox) {
    try {
      inbox.maintain();
    } catch (InboxUnavailableException e) {
      if (closed) {
        log.debug("the inbox was not maintained, because the consumer stops", e);
      } else {
        log.warn("the inbox was not maintained, the next try is in an hour: {}", e.getMessage());
      }
    } catch (RuntimeException e) {
      // an executor would run it no more, without a word
      log.error("the inbox was not maintained, the next try is in an hour", e);
    }
  }

  @Override
  public void close() {
    closed = true; // what it does is cut short
    executor.shutdownNow();
  }
}
