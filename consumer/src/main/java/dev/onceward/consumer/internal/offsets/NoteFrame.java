package dev.onceward.consumer.internal.offsets;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;

/**
 * The text around the body of a note: {@code OW1}, a letter for the form of the body (P plain, Z
 * deflated), then in base64 without padding the checksum and the body. The CRC-32C is taken over
 * form, base offset and body, so that a note beside another offset is none.
 */
final class NoteFrame {

  /** What a reader takes: the broker's default limit is a quarter of it. */
  static final int MAX_CHARS = 16 * 1024;

  private static final String PREFIX = "OW1";
  private static final char PLAIN = 'P';
  private static final char DEFLATED = 'Z';
  private static final int START = PREFIX.length() + 1;

  private NoteFrame() {}

  /** How many characters a note takes with a body of so many bytes. */
  static int chars(int bodyBytes) {
    long bits = (Integer.BYTES + (long) bodyBytes) * Byte.SIZE;
    return (int) Math.min(START + (bits + 5) / 6, Integer.MAX_VALUE);
  }

  /** How many bytes the body may have in so many characters; negative when there is no room. */
  static int maxBodyBytes(int chars) {
    return (chars - START) * 3 / 4 - Integer.BYTES;
  }

  static String write(long base, PackedBody body) {
    char form = body.deflated() ? DEFLATED : PLAIN;
    byte[] payload =
        ByteBuffer.allocate(Integer.BYTES + body.size())
            .putInt(checksum(form, base, body.bytes(), 0))
            .put(body.bytes())
            .array();
    return PREFIX + form + Base64.getEncoder().withoutPadding().encodeToString(payload);
  }

  /** The body of an intact note that stands beside the base offset, inflated. */
  static byte[] read(long base, String text) throws MalformedNoteException {
    if (text.length() <= START || text.length() > MAX_CHARS || !text.startsWith(PREFIX)) {
      throw new MalformedNoteException("no note of a version that is known");
    }
    char form = text.charAt(START - 1);
    if (form != PLAIN && form != DEFLATED) {
      throw new MalformedNoteException("no form that is known");
    }
    byte[] payload = decode(text.substring(START));
    if (payload.length <= Integer.BYTES
        || ByteBuffer.wrap(payload).getInt() != checksum(form, base, payload, Integer.BYTES)) {
      throw new MalformedNoteException("damaged, or of another offset");
    }
    byte[] body = new byte[payload.length - Integer.BYTES];
    System.arraycopy(payload, Integer.BYTES, body, 0, body.length);
    return form == DEFLATED ? Deflate.inflate(body) : body;
  }

  private static byte[] decode(String base64) throws MalformedNoteException {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new MalformedNoteException("no base64: " + e.getMessage());
    }
  }

  private static int checksum(char form, long base, byte[] bytes, int from) {
    CRC32C crc = new CRC32C();
    crc.update(form);
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(base).flip());
    crc.update(bytes, from, bytes.length - from);
    return (int) crc.getValue();
  }
}
