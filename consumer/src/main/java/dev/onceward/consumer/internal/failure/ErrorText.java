package dev.onceward.consumer.internal.failure;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.Set;

/** Exceptions as bounded text. */
final class ErrorText {

  private static final int FINGERPRINT_FRAMES = 5;

  private ErrorText() {}

  /** The longest beginning of the text that fits into so many bytes of UTF-8. */
  static byte[] utf8(String text, int maxBytes) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.min(maxBytes, text.length() * 3));
    // the encoder stops before a character that does not fit; unpaired surrogates become '?'
    StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(java.nio.charset.CodingErrorAction.REPLACE)
        .onUnmappableCharacter(java.nio.charset.CodingErrorAction.REPLACE)
        .encode(CharBuffer.wrap(text), bytes, true);
    byte[] result = new byte[bytes.position()];
    bytes.flip().get(result);
    return result;
  }

  static String message(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.getClass().getName() : message;
  }

  /** The stack, root cause first, because the end is what gets cut. */
  static String stack(Throwable error) {
    StringBuilder text = new StringBuilder();
    String before = "";
    for (Throwable link : rootFirst(error)) {
      text.append(before).append(link).append('\n');
      for (StackTraceElement frame : link.getStackTrace()) {
        if (text.length() > DeadLetterHeaders.MAX_STACK_BYTES) {
          return text.toString();
        }
        text.append("\tat ").append(frame).append('\n');
      }
      before = "Wrapped by: ";
    }
    return text.toString();
  }

  /** Equal for failures of the same kind at the same place, whatever their data: 16 hex digits. */
  static String fingerprint(Throwable error) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    Throwable root = rootFirst(error).getFirst();
    update(digest, error.getClass().getName());
    update(digest, root.getClass().getName());
    StackTraceElement[] frames = root.getStackTrace();
    for (int i = 0; i < Math.min(FINGERPRINT_FRAMES, frames.length); i++) {
      // no line numbers: they change with every release
      update(digest, frames[i].getClassName() + "." + frames[i].getMethodName());
    }
    return HexFormat.of().formatHex(digest.digest(), 0, 8);
  }

  private static void update(MessageDigest digest, String text) {
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
  }

  private static Deque<Throwable> rootFirst(Throwable error) {
    Deque<Throwable> chain = new ArrayDeque<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable t = error; t != null && seen.add(t); t = t.getCause()) {
      chain.addFirst(t);
    }
    return chain;
  }
}
