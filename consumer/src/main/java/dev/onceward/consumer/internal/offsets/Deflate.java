package dev.onceward.consumer.internal.offsets;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Raw deflate (RFC 1951), bounded in both directions. */
final class Deflate {

  /** What no note inflates to: a bound for what a crafted text can cost. */
  static final int MAX_INFLATED = 64 * 1024;

  /** Within 2 % of the best level, at a third to a seventh of its time. */
  private static final int LEVEL = 4;

  private static final int FIRST_BUFFER = 4 * 1024;

  private Deflate() {}

  /**
   * The deflated bytes, or null when they are not fewer.
   *
   * @param strategy one of the strategies of {@link Deflater}
   */
  static byte @Nullable [] deflate(byte[] bytes, int strategy) {
    Deflater deflater = new Deflater(LEVEL, true);
    try {
      deflater.setStrategy(strategy);
      deflater.setInput(bytes);
      deflater.finish();
      byte[] buffer = new byte[bytes.length];
      int length = 0;
      // the first call may only set the strategy
      while (!deflater.finished() && length < buffer.length) {
        length += deflater.deflate(buffer, length, buffer.length - length);
      }
      return length < buffer.length ? Arrays.copyOf(buffer, length) : null;
    } finally {
      deflater.end();
    }
  }

  static byte[] inflate(byte[] bytes) throws MalformedNoteException {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(bytes);
      byte[] buffer = new byte[FIRST_BUFFER];
      int length = 0;
      while (true) {
        int more = inflater.inflate(buffer, length, buffer.length - length);
        length += more;
        if (inflater.finished()) {
          break;
        }
        if (length == buffer.length) {
          if (length == MAX_INFLATED) {
            throw new MalformedNoteException("it inflates to more than any note");
          }
          buffer = Arrays.copyOf(buffer, length * 2);
        } else if (more == 0) {
          throw new MalformedNoteException("its deflated bytes end early");
        }
      }
      if (inflater.getRemaining() > 0) {
        throw new MalformedNoteException("bytes follow the deflated ones");
      }
      return Arrays.copyOf(buffer, length);
    } catch (DataFormatException e) {
      throw new MalformedNoteException("it does not inflate: " + e.getMessage());
    } finally {
      inflater.end();
    }
  }
}
