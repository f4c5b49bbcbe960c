package dev.onceward.envelope.internal;

/** Entity versions: decimal digits, from zero to what a long can hold. */
final class Versions {

  private Versions() {}

  static boolean isValid(byte[] text) {
    if (text.length == 0) {
      return false;
    }
    long value = 0;
    for (byte b : text) {
      int digit = b - '0';
      if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
        return false;
      }
      value = value * 10 + digit;
    }
    return true;
  }

  static boolean isValid(String text) {
    return isValid(Utf8.encode(text));
  }
}
