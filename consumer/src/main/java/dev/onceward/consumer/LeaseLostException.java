package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * The lease of a delivery is lost, so its effect is not committed. The message is one line with
 * topic, partition and offset, and has no key and no payload.
 */
public final class LeaseLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final LeaseLoss loss;

  /**
   * Creates it; for the toolkit, and for tests of handlers.
   *
   * @param loss why the lease was lost
   * @param message one line that names the place
   * @param cause what the handler threw when it was interrupted, or null
   */
  public LeaseLostException(LeaseLoss loss, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.loss = requireNonNull(loss);
  }

  /** Why the lease was lost. */
  public LeaseLoss loss() {
    return loss;
  }
}
