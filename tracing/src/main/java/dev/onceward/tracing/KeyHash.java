package dev.onceward.tracing;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The short name of a record key in logs and reports, where the key itself must not appear.
 *
 * <p>It is the first 8 bytes of the key's SHA-256, as 16 hex digits: the same for every process and
 * run, so that lines can be matched. It keeps keys out of sight; it does not protect keys from
 * somebody who can list all of them.
 */
public final class KeyHash {

  /** The name of a record without a key. */
  public static final String NO_KEY = "none";

  private static final int BYTES = 8;

  private KeyHash() {}

  /**
   * Returns the hash of {@code key}.
   *
   * @param key the key's bytes, or null for a record without a key
   * @return 16 hex digits, or {@link #NO_KEY}
   */
  public static String of(byte @Nullable [] key) {
    if (key == null) {
      return NO_KEY;
    }
    return HexFormat.of().formatHex(sha256().digest(key), 0, BYTES);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
