package dev.onceward.testkit.internal.log;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The child broker's slf4j provider. It is chosen by {@code -Dslf4j.provider} and not registered as
 * a service: on the user's class path it competes with nothing, and in the child whatever provider
 * and configuration the user has is left alone.
 */
public final class BrokerLogProvider implements SLF4JServiceProvider, ILoggerFactory {
  /** The system property with the lowest level that is logged; WARN unless set. */
  public static final String LEVEL_PROPERTY = "onceward.broker.log";

  private final ConcurrentMap<String, Logger> loggers = new ConcurrentHashMap<>();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter mdc = new NOPMDCAdapter();
  private final Level lowest = Level.valueOf(System.getProperty(LEVEL_PROPERTY, "WARN"));

  @Override
  public Logger getLogger(String name) {
    return loggers.computeIfAbsent(name, n -> new StandardErrorLogger(n, lowest));
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return this;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}
}
