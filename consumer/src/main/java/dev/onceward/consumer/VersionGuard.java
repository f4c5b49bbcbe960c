package dev.onceward.consumer;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An event whose entity version ({@code ce_entityversion}) is not newer than the last one applied
 * to the same entity is skipped as stale. The version is unique in (handler id, topic, entity key)
 * and advances in the handler's own transaction. Needs an inbox; an event without a version or
 * entity key is dead-lettered.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface VersionGuard {

  /** For {@link #first}: whichever version of an entity comes first is the first one. */
  long ANY = Long.MIN_VALUE;

  /** Which versions are applied. */
  Mode value() default Mode.LATEST;

  /**
   * With {@link Mode#NEXT}, the version that entities begin with; default 1. {@link #ANY} for a
   * handler that joins late and can do without the past.
   */
  long first() default 1;

  /**
   * The handler's own table to guard on, instead of the inbox's; optionally with its schema in
   * front of a dot. Its row is locked and its version compared; the handler itself must write the
   * version, with every event that it applies. Default: the inbox's table.
   */
  String table() default "";

  /** With {@link #table}, the column with the entity key, which needs a unique index. */
  String keyColumn() default "id";

  /** With {@link #table}, the column with the version, a number. */
  String versionColumn() default "version";

  /** Which versions of an entity are applied. */
  enum Mode {
    /** Every one that is newer than the last one applied. */
    LATEST,
    /**
     * Only the one right after the last one applied. An event of a later version is set aside until
     * the gap is filled; see {@link VersionGapPolicy}.
     */
    NEXT
  }
}
