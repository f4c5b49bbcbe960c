package dev.onceward.consumer.internal.offsets;

import java.util.Arrays;

/** Bytes and varints (LEB128: seven bits a byte, the lowest first) into an array that grows. */
final class ByteWriter {

  private byte[] bytes;
  private int size;

  ByteWriter(int capacity) {
    bytes = new byte[capacity];
  }

  void write(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  void write(byte[] values) {
    reserve(values.length);
    System.arraycopy(values, 0, bytes, size, values.length);
    size += values.length;
  }

  void writeVarint(long value) {
    reserve(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) ((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  int size() {
    return size;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
