package dev.onceward.it.guarantee;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Tests that take minutes; they run with {@code -Pchaos} only, and then one after the other. */
@Tag("chaos")
@Timeout(value = 40 * 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ChaosTest {}
