package dev.onceward.examples.samples;

/** An order that no retry will bring about. */
final class UnknownOrderException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownOrderException(String orderId) {
    super("there is no order " + orderId);
  }
}
