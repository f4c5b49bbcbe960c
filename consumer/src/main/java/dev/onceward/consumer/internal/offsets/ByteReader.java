package dev.onceward.consumer.internal.offsets;

import java.util.Arrays;

/** Reads what {@link ByteWriter} writes, and never past the end. */
final class ByteReader {

  private final byte[] bytes;
  private int position;

  ByteReader(byte[] bytes) {
    this.bytes = bytes;
  }

  int remaining() {
    return bytes.length - position;
  }

  int read() throws MalformedNoteException {
    if (position == bytes.length) {
      throw new MalformedNoteException("it ends early");
    }
    return bytes[position++] & 0xff;
  }

  /** A number of up to 63 bits: offsets and their distances have no more. */
  long readVarint() throws MalformedNoteException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      int next = read();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new MalformedNoteException("a number of more than 63 bits");
  }

  int readVarint(int max, String what) throws MalformedNoteException {
    long value = readVarint();
    if (value > max) {
      throw new MalformedNoteException(what + " above " + max);
    }
    return (int) value;
  }

  byte[] readRest() {
    byte[] rest = Arrays.copyOfRange(bytes, position, bytes.length);
    position = bytes.length;
    return rest;
  }
}
