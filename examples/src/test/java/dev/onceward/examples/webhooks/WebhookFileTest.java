package dev.onceward.examples.webhooks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.examples.DemoFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookFileTest {

  private static final String PUSH = "{\"event\": \"push\", \"payload\": {\"n\": 1}}";
  private static final String PING = "{\"event\": \"ping\", \"payload\": {\"n\": 2}}";

  @TempDir private Path directory = Path.of("");

  @Test
  void everyLineIsNumberedFromOne() throws IOException {
    assertThat(read(PUSH + "\n" + "broken\n" + PING + "\n"))
        .containsExactly("1 push", "2 broken", "3 ping");
  }

  @Test
  void blankLinesArePassedOverAndCounted() throws IOException {
    assertThat(read("\n" + PUSH + "\n\n   \n\t\n" + "broken\n\n"))
        .containsExactly("2 push", "6 broken");
  }

  @Test
  void linesMayEndInCarriageReturnAndLineFeed() throws IOException {
    assertThat(read(PUSH + "\r\n\r\nbroken\r\n" + PING + "\r\n"))
        .containsExactly("1 push", "3 broken", "4 ping");
  }

  @Test
  void theLastLineNeedsNoLineEnd() throws IOException {
    assertThat(read(PUSH + "\n" + PING)).containsExactly("1 push", "2 ping");
  }

  @Test
  void anEmptyFileHasNoLines() throws IOException {
    assertThat(read("")).isEmpty();
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstLine() throws IOException {
    assertThat(read("\ufeff" + PUSH + "\n" + PING + "\n")).containsExactly("1 push", "2 ping");
  }

  @Test
  void aByteOrderMarkAloneIsABlankLine() throws IOException {
    assertThat(read("\ufeff\n" + PING + "\n")).containsExactly("2 ping");
  }

  @Test
  void bytesThatAreNoUtf8SpoilTheirLineOnly() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write((PUSH + "\n{\"event\": \"push\", \"payload\": {\"n\": \"").getBytes(UTF_8));
    bytes.write(new byte[] {(byte) 0xc3, '(', (byte) 0xff, (byte) 0xfe});
    bytes.write(("\"}}\n" + PING + "\n").getBytes(UTF_8));

    assertThat(read(bytes.toByteArray())).containsExactly("1 push", "2 broken", "3 ping");
  }

  @Test
  void textOutsideAsciiStaysWhatItIs() throws IOException {
    List<String> keys = new ArrayList<>();
    Path file = directory.resolve("in.jsonl");
    // its UTF-8 bytes hold 0x85, which is a line end in ISO 8859-1 by Unicode, and is none here
    String name = "\u00c5ngstr\u00f6m/\u2026 \ud83d\ude80";
    Files.writeString(
        file,
        "{\"event\": \"push\", \"payload\": {\"repository\": {\"full_name\": \"" + name + "\"}}}");

    new WebhookFile(file)
        .read(
            new WebhookFile.Lines() {
              @Override
              public void webhook(long line, Webhook webhook) {
                keys.add(webhook.key());
              }

              @Override
              public void broken(long line, String reason) {
                throw new AssertionError(reason);
              }
            });

    assertThat(keys).containsExactly(name);
  }

  @Test
  void aFileThatIsNotThereIsNamedInOneLine() {
    Path file = directory.resolve("none.jsonl");

    assertThatThrownBy(() -> read(file))
        .isInstanceOf(DemoFailure.class)
        .hasMessage("--input: there is no file " + file);
  }

  @Test
  void aDirectoryIsNoFileToRead() {
    assertThatThrownBy(() -> read(directory))
        .isInstanceOf(DemoFailure.class)
        .hasMessageStartingWith("--input: " + directory + " cannot be read: ");
  }

  private List<String> read(String text) throws IOException {
    return read(text.getBytes(UTF_8));
  }

  private List<String> read(byte[] bytes) throws IOException {
    return read(Files.write(directory.resolve("in.jsonl"), bytes));
  }

  private static List<String> read(Path file) {
    List<String> lines = new ArrayList<>();
    new WebhookFile(file)
        .read(
            new WebhookFile.Lines() {
              @Override
              public void webhook(long line, Webhook webhook) {
                lines.add(line + " " + webhook.event());
              }

              @Override
              public void broken(long line, String reason) {
                assertThat(reason).isNotBlank();
                lines.add(line + " broken");
              }
            });
    return lines;
  }
}
