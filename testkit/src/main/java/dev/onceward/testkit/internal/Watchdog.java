package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Signals a process when this JVM ends, however it ends: a shell waits on a pipe that the operating
 * system closes even after {@code kill -9}. Not on Windows, where it does nothing.
 */
public final class Watchdog implements AutoCloseable {
  // Ignores Ctrl-C, which reaches the whole process group: the JVM then decides what happens.
  private static final String SCRIPT =
      "trap '' INT TERM HUP; read -r x || kill -s \"$1\" \"$2\" 2>/dev/null";

  private final OutputStream leash;

  private Watchdog(OutputStream leash) {
    this.leash = leash;
  }

  /** Sends {@code signal} (such as {@code INT}) to {@code pid} when this JVM is gone. */
  public static Watchdog over(long pid, String signal) {
    if (Processes.onWindows()) {
      return new Watchdog(OutputStream.nullOutputStream());
    }
    try {
      Process shell =
          new ProcessBuilder(List.of("sh", "-c", SCRIPT, "sh", signal, Long.toString(pid)))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return new Watchdog(shell.getOutputStream());
    } catch (IOException e) {
      throw new TestkitException("cannot start 'sh' to watch over process " + pid, e);
    }
  }

  /** Calls the watchdog off. */
  @Override
  public void close() {
    try (leash) {
      leash.write('\n');
      leash.flush();
    } catch (IOException e) {
      // The shell is gone already, so there is nothing left to call off.
      return;
    }
  }
}
