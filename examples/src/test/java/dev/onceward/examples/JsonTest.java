package dev.onceward.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonTest {

  record Figures(long in, long out) {}

  @TempDir private Path directory = Path.of("");

  @Test
  void theFileEndsWithALineEnd() throws IOException {
    Path file = directory.resolve("f.json");

    Json.write(file, new Figures(1, 2));

    assertThat(file).content().contains("\"in\" : 1").endsWith("}\n");
  }

  @Test
  void theCheckLeavesTheFileAsItIs() throws IOException {
    Path old = Files.writeString(directory.resolve("old.json"), "old");
    Path fresh = directory.resolve("fresh.json");

    Json.check(old);
    Json.check(fresh);
    assertThatCode(() -> Json.check(null)).doesNotThrowAnyException();

    assertThat(old).hasContent("old");
    assertThat(fresh).doesNotExist();
  }
}
