package dev.onceward.dedupe;

/**
 * Another owner has taken the fence of the partition since, so the effect was not committed: the
 * partition belongs to somebody else now. Nothing was committed, and trying again under the same
 * fence is useless; the event comes to the new owner.
 */
public final class FencedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message one line that names the partition, the group and the epochs
   */
  public FencedException(String message) {
    super(message);
  }
}
