package dev.onceward.tracing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged to a logger and those below it, kept from the console, until closed. */
final class LoggedTo extends Handler implements AutoCloseable {

  private final List<LogRecord> records = new CopyOnWriteArrayList<>();
  private final Logger logger;

  LoggedTo(String name) {
    logger = Logger.getLogger(name);
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  List<LogRecord> records() {
    return records;
  }

  @Override
  public void publish(LogRecord record) {
    records.add(record);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
