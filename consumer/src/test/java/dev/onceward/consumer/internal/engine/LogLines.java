package dev.onceward.consumer.internal.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Collects what the engine logs at warning and above, and keeps it from the console meanwhile. */
final class LogLines extends Handler {

  /** Held here, because the log manager forgets loggers that nobody holds. */
  private final Logger logger = Logger.getLogger("dev.onceward.consumer");

  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  LogLines() {
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
      records.add(record);
    }
  }

  /** Whether a line holds the text, or what was logged with it fits. */
  boolean tell(String text, Predicate<@Nullable Throwable> thrown) {
    return records.stream()
        .anyMatch(
            line ->
                String.valueOf(line.getMessage()).contains(text) || thrown.test(line.getThrown()));
  }

  /** Whether a line of this level or above was logged with a fitting error. */
  boolean tell(Level level, Predicate<@Nullable Throwable> thrown) {
    return records.stream()
        .anyMatch(
            line ->
                line.getLevel().intValue() >= level.intValue() && thrown.test(line.getThrown()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
