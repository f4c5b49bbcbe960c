package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Starting, signalling and awaiting operating system processes. */
public final class Processes {
  private Processes() {}

  public static boolean onWindows() {
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("windows");
  }

  /** The null device, as a file to read nothing from. */
  public static File nullDevice() {
    return new File(onWindows() ? "NUL" : "/dev/null");
  }

  /** Starts {@code command} with both outputs appended to {@code log}. */
  public static ProcessBuilder logged(List<String> command, Path log) {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
  }

  /** Sends a signal such as {@code STOP}; the shell's own kill, as small images have no other. */
  public static void signal(long pid, String signal) {
    if (onWindows()) {
      throw new TestkitException("SIG" + signal + " cannot be sent on Windows");
    }
    int code = run(List.of("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", signal, Long.toString(pid)));
    if (code != 0) {
      throw new TestkitException("SIG" + signal + " could not be sent to process " + pid);
    }
  }

  /** Runs a short command without output and returns its exit code. */
  public static int run(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!awaitExit(process, Duration.ofSeconds(30))) {
        process.destroyForcibly();
        throw new TestkitException("'" + command.get(0) + "' did not end within 30 s");
      }
      return process.exitValue();
    } catch (IOException e) {
      throw new TestkitException("cannot run '" + command.get(0) + "': " + e.getMessage(), e);
    }
  }

  /** Whether the process ends within {@code timeout}. */
  public static boolean awaitExit(Process process, Duration timeout) {
    try {
      return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while waiting for process " + process.pid(), e);
    }
  }
}
