package dev.onceward.examples.webhooks;

/** A line is no webhook delivery. */
final class InvalidWebhookException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidWebhookException(String message) {
    super(message);
  }
}
