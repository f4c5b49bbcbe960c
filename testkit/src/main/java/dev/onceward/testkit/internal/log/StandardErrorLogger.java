package dev.onceward.testkit.internal.log;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

final class StandardErrorLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  private final Level lowest;

  StandardErrorLogger(String name, Level lowest) {
    this.name = name;
    this.lowest = lowest;
  }

  private boolean enabled(Level level) {
    return level.toInt() >= lowest.toInt();
  }

  @Override
  public boolean isTraceEnabled() {
    return enabled(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return enabled(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return enabled(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return enabled(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return enabled(Level.ERROR);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      @Nullable String pattern,
      @Nullable Object @Nullable [] arguments,
      @Nullable Throwable failure) {
    StringBuilder text =
        new StringBuilder()
            .append(Instant.now())
            .append(' ')
            .append(level)
            .append(' ')
            .append(name)
            .append(" - ")
            .append(MessageFormatter.basicArrayFormat(pattern, arguments));
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      text.append("\n").append(cause == failure ? "" : "caused by ").append(cause);
      for (StackTraceElement frame : cause.getStackTrace()) {
        text.append("\n\tat ").append(frame);
      }
    }
    System.err.println(text);
  }
}
