package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.Delivery;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One validated, callable handler.
 *
 * @param handlerId the dedupe scope
 * @param name how messages name the handler, such as {@code Billing.placed}
 * @param topics the topics it reads
 * @param typePattern an event type, or a prefix that ends in {@code *}
 * @param idempotency how an event is recognised that comes again
 * @param versions how the entity version guards the effect, or null when it does not
 * @param payload what the event's data is decoded to, or null when the handler takes no payload
 * @param transactional whether the handler takes the transaction's connection
 * @param takesLists whether the handler takes lists, of several deliveries at once
 * @param call runs the handler
 */
public record Route(
    String handlerId,
    String name,
    Set<String> topics,
    String typePattern,
    Idempotency idempotency,
    @Nullable VersionRule versions,
    @Nullable PayloadParameter payload,
    boolean transactional,
    boolean takesLists,
    Call call) {

  /**
   * Whether a call of the handler may be for several deliveries, or their effects be committed
   * together.
   */
  public boolean isShareable() {
    return takesLists || needsInbox();
  }

  /** The same handler, called by another call. */
  public Route withCall(Call call) {
    return new Route(
        handlerId,
        name,
        topics,
        typePattern,
        idempotency,
        versions,
        payload,
        transactional,
        takesLists,
        call);
  }

  /** Whether the effect runs in a transaction of the inbox. */
  public boolean needsInbox() {
    return idempotency != Idempotency.NONE || versions != null || transactional;
  }

  /**
   * The payload a handler takes.
   *
   * @param type the type to decode to
   * @param nullable whether an event without data may be handled, with a null payload
   */
  public record PayloadParameter(Type type, boolean nullable) {}

  /**
   * What a handler is called with.
   *
   * @param payload the decoded data; null when the handler takes none or the event has none
   */
  public record Input(Delivery delivery, @Nullable Object payload) {}

  /** Runs a handler and waits until it is done. */
  @FunctionalInterface
  public interface Call {
    /**
     * Runs the handler.
     *
     * @param inputs one, or, for a handler that takes lists, one or more
     */
    void handle(List<Input> inputs, @Nullable Connection tx) throws Exception;
  }
}
