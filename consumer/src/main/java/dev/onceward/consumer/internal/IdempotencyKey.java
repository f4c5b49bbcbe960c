package dev.onceward.consumer.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The stable key of an effect: 128 bits of SHA-256 over (handler id, source, id). */
final class IdempotencyKey {

  private IdempotencyKey() {}

  static String of(String handlerId, String source, String eventId) {
    MessageDigest digest = sha256();
    for (String part : new String[] {handlerId, source, eventId}) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      // the length before each part keeps ("ab", "c") and ("a", "bc") apart
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
      digest.update(bytes);
    }
    return HexFormat.of().formatHex(digest.digest(), 0, 16);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
