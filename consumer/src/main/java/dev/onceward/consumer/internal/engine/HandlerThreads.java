package dev.onceward.consumer.internal.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Makes the threads that handlers run on: virtual ones where the JVM has them. */
public final class HandlerThreads {

  private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

  private HandlerThreads() {}

  /**
   * An executor for at most {@code concurrency} tasks at once.
   *
   * @param prefix what the thread names begin with
   */
  public static ExecutorService create(String prefix, int concurrency) {
    return Runtime.version().feature() >= FIRST_JAVA_WITH_VIRTUAL_THREADS
        ? virtual(prefix)
        : platform(prefix, concurrency);
  }

  /**
   * The same on threads of the platform whatever the JVM has. For handlers that wait for short
   * answers of a database again and again, as those of a batch do: a virtual thread goes through
   * the JVM's poller and scheduler at each answer, which costs more than the answer itself.
   *
   * @param prefix what the thread names begin with
   */
  public static ExecutorService platform(String prefix, int concurrency) {
    AtomicLong number = new AtomicLong();
    ThreadFactory threads =
        task -> {
          Thread thread = new Thread(task, prefix + number.getAndIncrement());
          thread.setDaemon(true);
          return thread;
        };
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            concurrency, concurrency, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** By reflection, because this code is compiled for Java 17. */
  private static ExecutorService virtual(String prefix) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      type.getMethod("name", String.class, long.class).invoke(builder, prefix, 0L);
      ThreadFactory threads = (ThreadFactory) type.getMethod("factory").invoke(builder);
      Method executor = Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class);
      return (ExecutorService) executor.invoke(null, threads);
    } catch (ClassNotFoundException
        | NoSuchMethodException
        | IllegalAccessException
        | InvocationTargetException e) {
      throw new IllegalStateException("Java 21 and later have virtual threads", e);
    }
  }
}
