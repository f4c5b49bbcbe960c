package dev.onceward.consumer.internal.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the engine logs: under one name that users can rely on, whatever classes do the work. */
final class ConsumerLog {

  static final Logger log = LoggerFactory.getLogger("dev.onceward.consumer");

  private ConsumerLog() {}
}
