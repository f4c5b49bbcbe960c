/**
 * Real Kafka and PostgreSQL for tests, and tools that redeliver, reorder and break.
 *
 * <p>{@link dev.onceward.testkit.OncewardTest} injects a broker, a database and unique names into
 * JUnit 5 tests. Outside JUnit, {@link dev.onceward.testkit.KafkaServer#start()} and {@link
 * dev.onceward.testkit.PostgresServer#start()} give the same from any {@code main}.
 *
 * <p>Nothing here writes to the console. The in-process broker logs through slf4j, hundreds of
 * lines at INFO: with slf4j-simple the defaults of this jar hold it at WARN; with Logback or Log4j
 * set the loggers {@code kafka}, {@code org.apache.kafka}, {@code state.change.logger} and {@code
 * io.zonky.test} to WARN. The child broker and PostgreSQL log to files of their own.
 */
@NullMarked
package dev.onceward.testkit;

import org.jspecify.annotations.NullMarked;
