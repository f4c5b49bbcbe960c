package dev.onceward.consumer.internal.offsets;

/**
 * The body of a note as it goes into the text.
 *
 * @param bytes the body
 * @param deflated whether it is deflated
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once and never compared
record PackedBody(byte[] bytes, boolean deflated) {

  /** Bodies as short as that do not become shorter. */
  private static final int NOT_WORTH_IT = 40;

  /** The shorter of the body as it is and its deflated form. */
  static PackedBody of(byte[] body, int strategy) {
    if (body.length > NOT_WORTH_IT && body.length <= Deflate.MAX_INFLATED) {
      byte[] deflated = Deflate.deflate(body, strategy);
      if (deflated != null) {
        return new PackedBody(deflated, true);
      }
    }
    return new PackedBody(body, false);
  }

  int size() {
    return bytes.length;
  }
}
