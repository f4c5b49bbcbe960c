package dev.onceward.it.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A demo that is ended half way leaves nothing that runs. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@DisabledOnOs(OS.WINDOWS)
class DemoEndIT {

  private static final Duration START = Duration.ofMinutes(2);

  /** Some for the application to notice and to stop, much for a slow machine. */
  private static final Duration END = Duration.ofSeconds(30);

  @TempDir private Path directory = Path.of("");
  private Path out = Path.of("");
  private Path err = Path.of("");

  @BeforeEach
  void nameOutputs() {
    out = directory.resolve("out.txt");
    err = directory.resolve("err.txt");
  }

  @Test
  void onASignalItEndsWithItsServersAndApplicationAndSaysNothing() throws Exception {
    Process demo = publishing();
    List<ProcessHandle> children = demo.toHandle().descendants().toList();

    demo.destroy();

    assertThat(demo.waitFor(END.toSeconds(), TimeUnit.SECONDS)).isTrue();
    awaitEndOf(children);
    assertThat(err).isEmptyFile();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).noneMatch(DemoEndIT::isOfTheDemo);
    }
  }

  @Test
  void killedItLeavesNoProcessAndTheNextRunRemovesItsFiles() throws Exception {
    Process demo = publishing();
    List<ProcessHandle> children = demo.toHandle().descendants().toList();

    demo.destroyForcibly().waitFor();

    awaitEndOf(children);
    List<Path> left = servers();
    assertThat(left).hasSize(2);
    Process next = Console.start(directory, List.of("orders"), out, err);
    try {
      await().atMost(START).until(() -> servers().stream().noneMatch(left::contains));
    } finally {
      next.destroy();
      assertThat(next.waitFor(END.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Runs it until it publishes. */
  private Process publishing() throws IOException {
    Process demo = Console.start(directory, List.of("orders"), out, err);
    await().atMost(START).until(() -> Files.readString(out).contains("Publishing"));
    // demo, broker, database and its watchdog, application
    assertThat(demo.toHandle().children().count()).isGreaterThanOrEqualTo(4);
    return demo;
  }

  private static void awaitEndOf(List<ProcessHandle> processes) {
    await().atMost(END).until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
  }

  private List<Path> servers() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> isOfTheDemo(file) && Files.isDirectory(file)).toList();
    }
  }

  private static boolean isOfTheDemo(Path file) {
    return file.getFileName().toString().matches("onceward-(demo|kafka|postgres)-.*");
  }
}
