package dev.onceward.producer.internal.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Record headers as one array of bytes, in their order, with repeated names and null values: a
 * version byte (1), the number of headers, and for each the length of its name, the name in UTF-8,
 * the length of its value plus one (0 for null), and the value. Numbers are unsigned LEB128.
 */
final class HeaderBytes {
  private static final int VERSION = 1;
  private static final int MAX_SHIFT = 28;

  private HeaderBytes() {}

  /** Writes all headers but those called {@code without}. */
  static byte[] write(Iterable<Header> headers, String without) {
    List<Header> kept = new ArrayList<>();
    for (Header header : headers) {
      if (!header.key().equals(without)) {
        kept.add(header);
      }
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    out.write(VERSION);
    number(out, kept.size());
    for (Header header : kept) {
      byte[] name = header.key().getBytes(UTF_8);
      byte @Nullable [] value = header.value();
      number(out, name.length);
      out.writeBytes(name);
      number(out, value == null ? 0 : value.length + 1);
      if (value != null) {
        out.writeBytes(value);
      }
    }
    return out.toByteArray();
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @throws IllegalArgumentException when it is something else
   */
  static List<Header> read(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      int version = in.get();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "the headers are of version "
                + version
                + ", and this relay knows version "
                + VERSION
                + ": update the relay");
      }
      int count = number(in);
      List<Header> headers = new ArrayList<>(Math.min(count, bytes.length));
      for (int i = 0; i < count; i++) {
        String name = new String(take(in, number(in)), UTF_8);
        int length = number(in);
        headers.add(new RecordHeader(name, length == 0 ? null : take(in, length - 1)));
      }
      if (in.hasRemaining()) {
        throw new IllegalArgumentException("there are bytes behind the last header");
      }
      return headers;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("the headers are cut off", e);
    }
  }

  private static byte[] take(ByteBuffer in, int length) {
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] taken = new byte[length];
    in.get(taken);
    return taken;
  }

  private static void number(ByteArrayOutputStream out, int value) {
    int rest = value;
    while (rest > 0x7f) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  private static int number(ByteBuffer in) {
    int value = 0;
    for (int shift = 0; shift <= MAX_SHIFT; shift += 7) {
      byte next = in.get();
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        if (value < 0) {
          break;
        }
        return value;
      }
    }
    throw new IllegalArgumentException("a length in the headers is out of range");
  }
}
