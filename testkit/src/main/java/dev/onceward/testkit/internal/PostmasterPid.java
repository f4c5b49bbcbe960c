package dev.onceward.testkit.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The file {@code postmaster.pid} that a running server keeps in its data directory (PostgreSQL
 * documentation, "Database File Layout").
 *
 * @param pid the server's process id
 * @param started when it started
 * @param ready whether it accepts connections
 */
record PostmasterPid(long pid, Instant started, boolean ready) {
  private static final int STATUS_LINE = 7;

  static Path in(Path data) {
    return data.resolve("postmaster.pid");
  }

  /** Reads the file; empty while there is none or it is being written. */
  static Optional<PostmasterPid> read(Path data) throws IOException {
    try {
      List<String> lines = Files.readAllLines(in(data));
      if (lines.size() < 3) {
        return Optional.empty();
      }
      return Optional.of(
          new PostmasterPid(
              Long.parseLong(lines.get(0).strip()),
              Instant.ofEpochSecond(Long.parseLong(lines.get(2).strip())),
              lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready")));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** The server process, unless it is gone or its id belongs to another process by now. */
  Optional<ProcessHandle> process() {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(
            process ->
                process
                    .info()
                    .startInstant()
                    .map(start -> Duration.between(start, started).abs())
                    // the file has whole seconds, and the server writes it a little after its start
                    .map(difference -> difference.compareTo(Duration.ofSeconds(10)) < 0)
                    .orElse(true));
  }
}
