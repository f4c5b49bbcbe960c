package dev.onceward.consumer.internal.engine;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the engine and its Kafka consumer, and lets one kind of call fail until healed.
 */
final class FaultyCalls implements InvocationHandler {

  private final LogConsumer target;
  private final Consumer<Map<TopicPartition, OffsetAndMetadata>> onCommit;
  private final Set<String> called = new ConcurrentSkipListSet<>();
  private final Set<Throwable> thrown =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final AtomicInteger hits = new AtomicInteger();
  private volatile @Nullable Fault fault;

  private record Fault(ConsumerCall call, ConsumerError error, String text) {}

  /**
   * Creates it.
   *
   * @param onCommit told what the engine commits, before it is
   */
  FaultyCalls(LogConsumer target, Consumer<Map<TopicPartition, OffsetAndMetadata>> onCommit) {
    this.target = target;
    this.onCommit = onCommit;
  }

  /** What the engine is to work with. */
  @SuppressWarnings("unchecked") // a proxy knows no type arguments
  org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer() {
    return (org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>)
        Proxy.newProxyInstance(
            FaultyCalls.class.getClassLoader(),
            new Class<?>[] {org.apache.kafka.clients.consumer.Consumer.class},
            this);
  }

  /** From now on such calls fail. */
  void fail(ConsumerCall call, ConsumerError error, String text) {
    fault = new Fault(call, error, text);
  }

  /** Calls go well again. */
  void heal() {
    fault = null;
  }

  /** How often a call has failed. */
  int hits() {
    return hits.get();
  }

  /** The methods that were called. */
  Set<String> called() {
    return Set.copyOf(called);
  }

  /** Whether the error, or one of its causes, was thrown from here. */
  boolean hasThrown(@Nullable Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (thrown.contains(e)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() != Object.class) {
      called.add(name);
    }
    noteCommit(name, arguments);
    Fault current = fault;
    if (current != null && current.call.method().equals(name)) {
      Throwable error = current.error.create(current.text);
      thrown.add(error);
      hits.incrementAndGet();
      if (current.call != ConsumerCall.COMMIT_ASYNC_ANSWER) {
        throw error;
      }
      answer(arguments, (Exception) error);
      return null;
    }
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @SuppressWarnings("unchecked") // as Consumer declares it
  private void noteCommit(String name, Object @Nullable [] arguments) {
    if (name.startsWith("commit") && !name.equals("committed")) {
      if (arguments == null || !(arguments[0] instanceof Map)) {
        throw new AssertionError(name + " without offsets commits what is not done");
      }
      onCommit.accept((Map<TopicPartition, OffsetAndMetadata>) arguments[0]);
    }
  }

  @SuppressWarnings("unchecked") // as Consumer declares it
  private void answer(Object @Nullable [] arguments, Exception error) {
    if (arguments == null || arguments.length != 2) {
      throw new AssertionError("commitAsync without a callback hides its failure");
    }
    OffsetCommitCallback callback = (OffsetCommitCallback) arguments[1];
    target.answer(
        () -> callback.onComplete((Map<TopicPartition, OffsetAndMetadata>) arguments[0], error));
  }
}
