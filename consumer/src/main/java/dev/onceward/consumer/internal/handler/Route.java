package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.Delivery;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One validated, callable handler.
 *
 * @param handlerId the dedupe scope
 * @param name how messages name the handler, such as {@code Billing.placed}
 * @param topics the topics it reads
 * @param typePattern an event type, or a prefix that ends in {@code *}
 * @param idempotent whether a dedupe row guards the effect
 * @param versionGuard whether the entity version guards the effect
 * @param payload what the event's data is decoded to, or null when the handler takes no payload
 * @param transactional whether the handler takes the transaction's connection
 * @param call runs the handler
 */
public record Route(
    String handlerId,
    String name,
    Set<String> topics,
    String typePattern,
    boolean idempotent,
    boolean versionGuard,
    @Nullable PayloadParameter payload,
    boolean transactional,
    Call call) {

  /** The same handler, called by another call. */
  public Route withCall(Call call) {
    return new Route(
        handlerId,
        name,
        topics,
        typePattern,
        idempotent,
        versionGuard,
        payload,
        transactional,
        call);
  }

  /** Whether the effect runs in a transaction of the inbox. */
  public boolean needsInbox() {
    return idempotent || versionGuard || transactional;
  }

  /**
   * The payload a handler takes.
   *
   * @param type the type to decode to
   * @param nullable whether an event without data may be handled, with a null payload
   */
  public record PayloadParameter(Type type, boolean nullable) {}

  /** Runs a handler and waits until it is done. */
  @FunctionalInterface
  public interface Call {
    void handle(Delivery delivery, @Nullable Object payload, @Nullable Connection tx)
        throws Exception;
  }
}
