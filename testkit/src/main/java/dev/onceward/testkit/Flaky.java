package dev.onceward.testkit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Work that fails the first times for each key and then goes through, and counts how often it was
 * called. Thread-safe.
 *
 * <pre>{@code
 * Flaky<String> flaky = Flaky.times(2, () -> new SQLException("down"));
 * LambdaHandlers.of("billing", topic).on("com.acme.orders.placed.v1", OrderPlaced.class,
 *     (order, delivery) -> flaky.run(delivery.event().getId(), () -> ledger.add(order)));
 * ...
 * assertThat(flaky.calls(id)).isEqualTo(3);
 * }</pre>
 *
 * @param <K> what is counted by: an event id, an entity key
 */
public final class Flaky<K> {
  private final int failures;
  private final Supplier<? extends Exception> failure;
  private final ConcurrentMap<K, AtomicInteger> calls = new ConcurrentHashMap<>();

  private Flaky(int failures, Supplier<? extends Exception> failure) {
    if (failures < 0) {
      throw new IllegalArgumentException("cannot fail " + failures + " times");
    }
    this.failures = failures;
    this.failure = failure;
  }

  /** Work that may fail. */
  @FunctionalInterface
  public interface Work {
    /** Does the work. */
    void run() throws Exception;
  }

  /** A handler of one argument that may fail. */
  @FunctionalInterface
  public interface Handler<T> {
    /** Handles one argument. */
    void handle(T argument) throws Exception;
  }

  /**
   * Fails the first {@code failures} calls of each key.
   *
   * @param failure a new exception for each failing call
   */
  public static <K> Flaky<K> times(int failures, Supplier<? extends Exception> failure) {
    return new Flaky<>(failures, failure);
  }

  /** Fails each call of each key, and only counts. */
  public static <K> Flaky<K> always(Supplier<? extends Exception> failure) {
    return new Flaky<>(Integer.MAX_VALUE, failure);
  }

  /** Runs {@code work}, or throws instead while {@code key} has failures left. */
  public void run(K key, Work work) throws Exception {
    if (calls.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet() <= failures) {
      throw failure.get();
    }
    work.run();
  }

  /** A handler that is run in this way, for the key that it is given. */
  public Handler<K> wrap(Handler<? super K> handler) {
    return key -> run(key, () -> handler.handle(key));
  }

  /** How often {@code key} was called, failing calls included. */
  public int calls(K key) {
    AtomicInteger count = calls.get(key);
    return count == null ? 0 : count.get();
  }

  /** How often all keys were called, failing calls included. */
  public int calls() {
    return calls.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  /** The calls of each key, failing calls included; a copy. */
  public Map<K, Integer> callsByKey() {
    Map<K, Integer> copy = new ConcurrentHashMap<>();
    calls.forEach((key, count) -> copy.put(key, count.get()));
    return Map.copyOf(copy);
  }
}
