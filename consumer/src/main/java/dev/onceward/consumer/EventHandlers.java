package dev.onceward.consumer;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a class whose {@link Handles} methods handle events. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EventHandlers {

  /**
   * The scope of dedupe rows and entity versions. It is stored with them, so it must stay the same
   * when the class is renamed, and differ between classes that handle the same events.
   */
  String id();

  /** The topics the events are read from; at least one. */
  String[] topics();
}
