package dev.onceward.consumer;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of an {@link EventHandlers} class as the handler of event types.
 *
 * <p>Parameters are resolved by type: {@link dev.onceward.envelope.Event}, {@link Delivery}, {@link
 * java.sql.Connection} (the transaction the inbox commits), a raw {@code ConsumerRecord<byte[],
 * byte[]>}, and at most one of any other type, which is the payload. The method returns {@code
 * void} or a {@link java.util.concurrent.CompletionStage}; the event is done when the stage
 * completes.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Handles {

  /**
   * The event types ({@code ce_type}). A trailing {@code *} matches by prefix: {@code
   * com.acme.orders.*}, or {@code *} for every type. An exact type wins over a prefix, a longer
   * prefix over a shorter one.
   */
  String[] value();
}
