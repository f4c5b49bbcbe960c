package dev.onceward.testkit;

import dev.onceward.testkit.internal.BrokerDefaults;
import dev.onceward.testkit.internal.BrokerHome;
import dev.onceward.testkit.internal.ChildJvm;
import dev.onceward.testkit.internal.CloseOnExit;
import dev.onceward.testkit.internal.Deadline;
import dev.onceward.testkit.internal.Directories;
import dev.onceward.testkit.internal.Processes;
import dev.onceward.testkit.internal.TopicAdmin;
import dev.onceward.testkit.internal.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A broker in a JVM of its own, for tests that break it: it can be killed, paused and restarted on
 * the same data and ports. It has its own heap, logs warnings to {@link #log()} and nothing to the
 * console, and ends when this JVM ends, however that ends. The child runs on this JVM's class path;
 * an application packed into a single nested jar cannot start one.
 *
 * <p>First start 1.5 to 3 seconds, start after {@link #kill()} about as long. {@link #pause()} and
 * {@link #resume()} need POSIX signals.
 */
public final class ChildKafka implements KafkaServer {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final BrokerHome home;
  private final TopicAdmin admin;
  private final CloseOnExit closeOnExit;
  private @Nullable Process process;
  private @Nullable Watchdog watchOverPaused;
  private boolean closed;

  private ChildKafka(BrokerHome home) {
    this.home = home;
    this.admin = home.topicAdmin();
    this.closeOnExit = CloseOnExit.of("child-kafka", this::close);
  }

  /** Starts a broker with {@linkplain KafkaSettings#defaults() default} settings. */
  public static ChildKafka start() {
    return start(KafkaSettings.defaults());
  }

  /**
   * Starts a broker and returns when it serves.
   *
   * @throws TestkitException when it does not start in time; the message ends with its log
   */
  public static ChildKafka start(KafkaSettings settings) {
    ChildKafka kafka =
        new ChildKafka(BrokerHome.prepare(settings, BrokerDefaults.quickAfterKill()));
    try {
      kafka.restart();
      return kafka;
    } catch (RuntimeException e) {
      kafka.close();
      throw e;
    }
  }

  /** Stops the broker if it runs, and starts it on the same data and ports. */
  public synchronized void restart() {
    if (closed) {
      throw new TestkitException("the broker is closed");
    }
    stop();
    try {
      Files.deleteIfExists(home.readyMark());
    } catch (IOException e) {
      throw new TestkitException("cannot delete " + home.readyMark() + ": " + e, e);
    }
    Process started = ChildJvm.start(home);
    process = started;
    Deadline deadline = Deadline.in(home.settings().startTimeout());
    while (Files.notExists(home.readyMark())) {
      if (!started.isAlive()) {
        throw new TestkitException(
            "the broker in %s ended with status %d while starting%s"
                .formatted(home.directory(), started.exitValue(), Directories.tail(home.log())));
      }
      if (deadline.passed()) {
        kill();
        throw new TestkitException(
            "the broker in %s did not start within %s%s"
                .formatted(home.directory(), deadline.budget(), Directories.tail(home.log())));
      }
      deadline.pause(Duration.ofMillis(10));
    }
  }

  /** Shuts the broker down in order (SIGTERM); data and ports stay for {@link #restart()}. */
  public synchronized void stop() {
    if (process != null && process.isAlive()) {
      resume();
      process.destroy();
      if (!Processes.awaitExit(process, STOP_TIMEOUT)) {
        kill();
        throw new TestkitException(
            "the broker in %s did not stop within %s and was killed%s"
                .formatted(home.directory(), STOP_TIMEOUT, Directories.tail(home.log())));
      }
    }
  }

  /** Kills the broker (SIGKILL), as a crash would; does nothing when it does not run. */
  public synchronized void kill() {
    if (process != null && process.isAlive()) {
      process.destroyForcibly();
      if (!Processes.awaitExit(process, STOP_TIMEOUT)) {
        throw new TestkitException("process " + process.pid() + " survived SIGKILL");
      }
    }
    unwatch();
  }

  /** Stops the broker's process from running (SIGSTOP), as a long pause would. */
  public synchronized void pause() {
    if (watchOverPaused == null) {
      // A paused broker cannot notice that this JVM has ended.
      watchOverPaused = Watchdog.over(pid(), "KILL");
      Processes.signal(pid(), "STOP");
    }
  }

  /** Lets a paused broker run on (SIGCONT). */
  public synchronized void resume() {
    if (watchOverPaused != null) {
      Processes.signal(pid(), "CONT");
      unwatch();
    }
  }

  private void unwatch() {
    if (watchOverPaused != null) {
      watchOverPaused.close();
      watchOverPaused = null;
    }
  }

  /** Whether the process lives; a paused one does. */
  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /**
   * The process id of the broker.
   *
   * @throws TestkitException when it does not run
   */
  public synchronized long pid() {
    if (process == null || !process.isAlive()) {
      throw new TestkitException("the broker in " + home.directory() + " does not run");
    }
    return process.pid();
  }

  /** The broker's log file: warnings and errors of all its lives. */
  public Path log() {
    return home.log();
  }

  /** The port the broker itself listens on, whatever port it advertises. */
  public int port() {
    return home.ports().client();
  }

  @Override
  public String bootstrapServers() {
    return home.bootstrapServers();
  }

  @Override
  public Map<String, Object> clientProperties() {
    return home.clientProperties();
  }

  @Override
  public void createTopic(String name, int partitions, Map<String, String> configs) {
    admin.create(name, partitions, configs);
  }

  @Override
  public void deleteTopic(String name) {
    admin.delete(name);
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(String topic) {
    return admin.endOffsets(topic);
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      closeOnExit.cancel();
      if (home.settings().directory().isPresent()) {
        stop();
      } else {
        kill();
      }
      home.discard();
    }
  }
}
