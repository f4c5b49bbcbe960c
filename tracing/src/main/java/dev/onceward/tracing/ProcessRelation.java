package dev.onceward.tracing;

/**
 * How the span of a delivery relates to the span that sent the message. Whatever is chosen, an
 * origin ({@code ce_traceparent}) other than the sender is linked as well.
 */
public enum ProcessRelation {
  /**
   * A trace of its own with a link to the sender: the default of the OpenTelemetry conventions, and
   * the only form that fits batches, retries and replays.
   */
  LINK,

  /**
   * A child of the send span: one trace from publisher to handler. A span that is current where the
   * delivery is dispatched is linked instead.
   */
  PARENT,

  /** A child of the send span that links to it too, for backends that follow only links. */
  PARENT_AND_LINK
}
