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
public @interface VersionGuard {}
