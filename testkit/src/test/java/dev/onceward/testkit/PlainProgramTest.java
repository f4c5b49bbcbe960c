package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainProgramTest {

  /** Closes the in-process broker, whose threads are no daemons, and forgets the others. */
  static final class Forgetful {
    private Forgetful() {}

    public static void main(String[] args) {
      try (InProcessKafka kafka = InProcessKafka.start()) {
        kafka.createTopic("orders", 1);
      }
      ChildKafka.start().createTopic("orders", 1);
      PostgresServer.start().createDatabase("orders");
    }
  }

  @Test
  void aProgramWithoutTestFrameworkRunsTheServersQuietlyEndsAndLeavesNothing(
      @TempDir Path directory) throws Exception {
    Path output = directory.resolve("output");
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    Process program =
        JavaProgram.start(List.of("-Djava.io.tmpdir=" + temporary), Forgetful.class, output);

    boolean ended = program.waitFor(90, TimeUnit.SECONDS);
    program.destroyForcibly();

    assertThat(ended).isTrue();

    assertThat(Files.readString(output)).isEmpty();
    assertThat(program.exitValue()).isZero();
    try (var left = Files.list(temporary)) {
      assertThat(left)
          .filteredOn(file -> file.getFileName().toString().startsWith("onceward-"))
          .isEmpty();
    }
  }
}
