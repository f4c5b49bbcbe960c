package dev.onceward.consumer;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The handler takes effect once per event: what tells that it did commits in the same transaction
 * as the handler's writes, or neither does. Needs an inbox.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Idempotent {

  /** How an event is recognised that comes again. */
  By value() default By.EVENT;

  /** How an event is recognised that comes again. */
  enum By {
    /** By its identity (source, id): one dedupe row for each event. */
    EVENT,
    /**
     * By its offset: one row for each partition. All records of the handler's topics are handled in
     * the order of their partition then, whatever their keys. It does not recognise an event that
     * its producer has sent twice, nor one that was replayed. Needs fences ({@link
     * EventConsumer.Builder#fences}). Not to be combined with {@link VersionGuard.Mode#NEXT}: what
     * that sets aside would be overtaken, and then count as done.
     */
    OFFSET
  }
}
