package dev.onceward.dedupe.internal;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * A pair of texts as one 128-bit key: SHA-256 over the length of the first, the first and the
 * second, truncated. The length keeps ("ab", "c") and ("a", "bc") apart. Fixed-width keys keep rows
 * and index small whatever ids look like, and keep ids out of the database.
 */
final class PairHash {
  private PairHash() {}

  static UUID of(String first, String second) {
    ByteBuffer head = utf8(first);
    MessageDigest sha256 = sha256();
    sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, head.remaining()));
    sha256.update(head);
    sha256.update(utf8(second));
    ByteBuffer digest = ByteBuffer.wrap(sha256.digest());
    return new UUID(digest.getLong(), digest.getLong());
  }

  private static ByteBuffer utf8(String text) {
    if (!hasSurrogates(text)) {
      return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
    try {
      // String.getBytes would turn every unpaired surrogate into '?': different ids, one key.
      return StandardCharsets.UTF_8
          .newEncoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "an event id, source, scope or entity key holds an unpaired surrogate, which is not text",
          e);
    }
  }

  private static boolean hasSurrogates(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
