package dev.onceward.it.scene;

import dev.onceward.testkit.OncewardTest;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests that share broker and database but no topics and groups, and so run beside each other. */
@OncewardTest
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EngineTest {}
