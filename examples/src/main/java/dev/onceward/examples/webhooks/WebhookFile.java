package dev.onceward.examples.webhooks;

import dev.onceward.examples.DemoFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a file of JSON lines, one webhook delivery each; blank lines are passed over. */
final class WebhookFile {

  /** The UTF-8 byte order mark, a char per byte. */
  private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

  private final Path file;

  WebhookFile(Path file) {
    this.file = file;
  }

  /** Gets what each line is, in order. */
  interface Lines {
    void webhook(long line, Webhook webhook);

    void broken(long line, String reason);
  }

  void read(Lines lines) {
    // one char per byte: the bytes of a line stay as they are, and the parser checks that they
    // are UTF-8, so that one bad byte spoils one line and not the file
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      long number = 0;
      String line = reader.readLine();
      while (line != null) {
        number++;
        if (number == 1 && line.startsWith(BYTE_ORDER_MARK)) {
          line = line.substring(BYTE_ORDER_MARK.length());
        }
        if (!line.isBlank()) {
          parse(number, line.getBytes(StandardCharsets.ISO_8859_1), lines);
        }
        line = reader.readLine();
      }
    } catch (NoSuchFileException e) {
      throw new DemoFailure("--input: there is no file " + file, e);
    } catch (IOException e) {
      throw new DemoFailure(
          "--input: " + file + " cannot be read: " + String.valueOf(e.getMessage()), e);
    }
  }

  private static void parse(long number, byte[] line, Lines lines) {
    Webhook webhook;
    try {
      webhook = Webhook.parse(line);
    } catch (InvalidWebhookException e) {
      lines.broken(number, String.valueOf(e.getMessage()));
      return;
    }
    lines.webhook(number, webhook);
  }
}
