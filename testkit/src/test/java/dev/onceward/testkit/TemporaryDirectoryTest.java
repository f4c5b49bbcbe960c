package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.testkit.internal.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryDirectoryTest {

  static final String PREFIX = "onceward-test-";

  @TempDir private Path parent = Path.of("");
  @TempDir private Path elsewhere = Path.of("");

  @Test
  void itIsGoneOnceClosed() throws IOException {
    TemporaryDirectory directory = TemporaryDirectory.create(parent, PREFIX);
    Files.writeString(directory.path().resolve("file"), "something");

    directory.close();

    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void whatAKilledJvmHasLeftGoesWithTheNextAndWhatALiveOneHoldsStays() throws Exception {
    Process killed = hold("killed");
    Process live = hold("live");
    Path left = held("killed");
    Path kept = held("live");
    killed.destroyForcibly().waitFor();
    try (TemporaryDirectory own = TemporaryDirectory.create(parent, PREFIX);
        TemporaryDirectory next = TemporaryDirectory.create(parent, PREFIX)) {
      assertThat(left).doesNotExist();
      assertThat(kept.resolve("data/deep")).isDirectory();
      assertThat(own.path()).isDirectory();
      assertThat(next.path()).isDirectory();
    } finally {
      live.destroyForcibly().waitFor();
    }
    assertThat(kept).isDirectory();
  }

  @Test
  void whatNoJvmHasEverHeldStays() throws IOException {
    Path foreign = Files.createDirectory(parent.resolve(PREFIX + "1-1"));
    Path file = Files.writeString(parent.resolve(PREFIX + "2-2"), "a file");
    Path target = Files.createDirectory(elsewhere.resolve("target"));
    Files.createFile(target.resolve("held"));
    Path link = Files.createSymbolicLink(parent.resolve(PREFIX + "3-3"), target);

    TemporaryDirectory.create(parent, PREFIX).close();

    assertThat(foreign).isDirectory();
    assertThat(file).isRegularFile();
    assertThat(link).isSymbolicLink();
    assertThat(target.resolve("held")).isRegularFile();
  }

  private Process hold(String name) throws IOException {
    return JavaProgram.start(
        OrphanMakers.DirectoryHolder.class, elsewhere.resolve(name), parent.toString());
  }

  private Path held(String name) throws IOException {
    Path output = elsewhere.resolve(name);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.exists(output) && Files.readString(output).endsWith("\n"));
    return Path.of(Files.readString(output).strip());
  }
}
