package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A running PostgreSQL server on a directory that only it uses. */
public final class PostgresProcess {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

  private final PostgresFiles files;
  private final DirectoryLock lock;
  private final Process process;
  private final Watchdog watchdog;

  private PostgresProcess(
      PostgresFiles files, DirectoryLock lock, Process process, Watchdog watchdog) {
    this.files = files;
    this.lock = lock;
    this.process = process;
    this.watchdog = watchdog;
  }

  /** The superuser's name and password, and what the server is started with. */
  public record Options(String user, String password, int port, Map<String, String> settings) {
    @Override
    public String toString() {
      return "Options[user=" + user + ", port=" + port + ", settings=" + settings + "]";
    }
  }

  /** Creates the database in {@code directory} when it is new, and starts a server on it. */
  public static PostgresProcess start(Path directory, Options options) {
    DirectoryLock lock = DirectoryLock.acquire(directory, Duration.ZERO);
    try {
      PostgresFiles files = PostgresFiles.in(directory);
      files.initialize(options.user(), options.password());
      endOrphan(files);
      Process process = files.start("postgres", arguments(files, options));
      PostgresProcess server =
          new PostgresProcess(files, lock, process, Watchdog.over(process.pid(), "INT"));
      server.awaitReady();
      return server;
    } catch (IOException e) {
      lock.close();
      throw new TestkitException("cannot start PostgreSQL in " + directory + ": " + e, e);
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  private static List<String> arguments(PostgresFiles files, Options options) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-D", files.data().toString()));
    arguments.addAll(List.of("-p", Integer.toString(options.port())));
    options
        .settings()
        .forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
    return arguments;
  }

  /**
   * Nobody else holds the directory's lock, so a server that still runs on it lost its JVM and is
   * about to be stopped by its watchdog. A pid file without its server blocks the start when
   * another process has got the id.
   */
  private static void endOrphan(PostgresFiles files) throws IOException {
    Optional<PostmasterPid> pidFile = PostmasterPid.read(files.data());
    if (pidFile.isEmpty()) {
      return;
    }
    Optional<ProcessHandle> orphan = pidFile.get().process();
    if (orphan.isPresent()) {
      Processes.signal(orphan.get().pid(), "INT");
      if (!awaitExit(orphan.get())) {
        throw new TestkitException(
            "a PostgreSQL server without owner, process %d, runs in %s and does not stop: end it"
                .formatted(orphan.get().pid(), files.directory()));
      }
    }
    Files.deleteIfExists(PostmasterPid.in(files.data()));
  }

  private void awaitReady() throws IOException {
    Deadline deadline = Deadline.in(START_TIMEOUT);
    while (!PostmasterPid.read(files.data())
        .filter(pidFile -> pidFile.pid() == process.pid() && pidFile.ready())
        .isPresent()) {
      if (!process.isAlive()) {
        watchdog.close();
        throw new TestkitException(
            "PostgreSQL in %s ended with status %d while starting%s"
                .formatted(files.directory(), process.exitValue(), Directories.tail(files.log())));
      }
      if (deadline.passed()) {
        killProcesses();
        throw new TestkitException(
            "PostgreSQL in %s did not start within %s%s"
                .formatted(files.directory(), START_TIMEOUT, Directories.tail(files.log())));
      }
      deadline.pause(Duration.ofMillis(10));
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Shuts down fast: open transactions are rolled back, clients are disconnected. */
  public void stop() {
    if (process.isAlive()) {
      Processes.signal(process.pid(), "INT");
      if (!Processes.awaitExit(process, STOP_TIMEOUT)) {
        kill();
        throw new TestkitException(
            "PostgreSQL in %s did not stop within %s and was killed%s"
                .formatted(files.directory(), STOP_TIMEOUT, Directories.tail(files.log())));
      }
    }
    watchdog.close();
    lock.close();
  }

  /** Kills the server and its sessions, as a crash of the machine would. */
  public void kill() {
    killProcesses();
    lock.close();
  }

  private void killProcesses() {
    // The sessions are children: they see the server go, but only once they are idle.
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle one : all) {
      if (!awaitExit(one)) {
        throw new TestkitException("process " + one.pid() + " survived SIGKILL");
      }
    }
    watchdog.close();
  }

  private static boolean awaitExit(ProcessHandle process) {
    try {
      process.onExit().get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException | CancellationException e) {
      throw new TestkitException("cannot wait for process " + process.pid(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while waiting for process " + process.pid(), e);
    }
  }
}
