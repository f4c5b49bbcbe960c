package dev.onceward.consumer.internal;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.OnThreadLeak;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.ThreadLeakException;
import dev.onceward.consumer.internal.handler.Route;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Sees to it that a handler leaves its thread as it found it, right when it returns: inside of its
 * transaction, and inside of the steps around it, whose own scopes close in order then. What
 * interceptors leave is seen to around all steps. Thread-safe.
 */
public final class ThreadHygiene {

  private static final Logger log = LoggerFactory.getLogger("dev.onceward.consumer");
  private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What can be left; the names are those of the metric. */
  private enum Kind {
    MDC("put MDC entries with MDC.putCloseable in a try"),
    CONTEXT("close the Scope of Context.makeCurrent in a try"),
    INTERRUPT("an interrupt that you catch is over: do not set the flag again"),
    THREAD_LOCAL("remove what you set, in a finally");

    private final String fix;

    Kind(String fix) {
      this.fix = fix;
    }

    String metricName() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private record Leak(Kind kind, String what) {}

  /** A thread before a handler. */
  private record Before(
      @Nullable Map<String, String> mdc, Context context, List<@Nullable Object> locals) {}

  /** A part of the work whose thread is watched. */
  private interface Work<T> {
    T run() throws Exception;
  }

  /** What a delivery goes through. */
  public interface Steps {
    /** Runs the steps. */
    Outcome handle(Delivery delivery) throws Exception;
  }

  private final OnThreadLeak onLeak;
  private final Map<String, ThreadLocal<?>> locals;
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final Map<String, Long> loggedAt = new ConcurrentHashMap<>();

  /**
   * Watches threads.
   *
   * @param locals thread locals that are watched too, by the name that messages use
   */
  public ThreadHygiene(OnThreadLeak onLeak, Map<String, ThreadLocal<?>> locals) {
    this.onLeak = onLeak;
    this.locals = locals;
  }

  /** What was left so far, by kind; kinds that never were are missing. */
  public Map<String, Long> counts() {
    Map<String, Long> sums = new TreeMap<>();
    counts.forEach((kind, count) -> sums.put(kind, count.sum()));
    return sums;
  }

  /** The same handler, watched. */
  public Route watch(Route route) {
    Route.Call call = route.call();
    return route.withCall(
        (inputs, tx) ->
            watch(
                route.name(),
                inputs.get(0).delivery(),
                onLeak,
                () -> {
                  call.handle(inputs, tx);
                  return true;
                }));
  }

  /** Runs the steps around a handler, watched. Their effect is committed when they return. */
  public Outcome watch(Delivery delivery, Steps steps) throws Exception {
    return watch(
        "an interceptor of group " + delivery.group(),
        delivery,
        OnThreadLeak.WARN,
        () -> steps.handle(delivery));
  }

  private <T> T watch(String name, Delivery delivery, OnThreadLeak onLeak, Work<T> work)
      throws Exception {
    Before before = look();
    T result;
    try {
      result = work.run();
    } catch (Throwable e) {
      String left = clean(name, delivery, before);
      if (left != null && onLeak == OnThreadLeak.FAIL) {
        e.addSuppressed(new ThreadLeakException(left));
      }
      throw e;
    }
    String left = clean(name, delivery, before);
    if (left != null && onLeak == OnThreadLeak.FAIL) {
      throw new ThreadLeakException(left);
    }
    return result;
  }

  private Before look() {
    List<@Nullable Object> values = new ArrayList<>(locals.size());
    for (ThreadLocal<?> local : locals.values()) {
      values.add(local.get());
    }
    return new Before(MDC.getCopyOfContextMap(), Context.current(), values);
  }

  /** Puts the thread back as it was, and says what was left, or null. */
  private @Nullable String clean(String name, Delivery delivery, Before before) {
    List<Leak> leaks = new ArrayList<>();
    cleanMdc(before.mdc(), leaks);
    if (Context.current() != before.context()) {
      leaks.add(new Leak(Kind.CONTEXT, "an OpenTelemetry context"));
      // for good: the scope that would end it is lost
      Scope unused = ContextStorage.get().attach(before.context());
    }
    // a lost lease interrupts; whoever runs the handler sees to that
    if (!delivery.lease().isLost() && Thread.interrupted()) {
      leaks.add(new Leak(Kind.INTERRUPT, "the interrupt flag"));
    }
    cleanLocals(before.locals(), leaks);
    return leaks.isEmpty() ? null : report(name, delivery, leaks);
  }

  private static void cleanMdc(@Nullable Map<String, String> before, List<Leak> leaks) {
    Map<String, String> was = before == null ? Map.of() : before;
    Map<String, String> now = MDC.getCopyOfContextMap();
    if (was.equals(now == null ? Map.of() : now)) {
      return;
    }
    Map<String, String> changed = new LinkedHashMap<>(now == null ? Map.of() : now);
    TreeSet<String> keys = new TreeSet<>(was.keySet());
    keys.addAll(changed.keySet());
    keys.removeIf(key -> Objects.equals(was.get(key), changed.get(key)));
    leaks.add(new Leak(Kind.MDC, "MDC " + String.join(", ", keys)));
    if (was.isEmpty()) {
      MDC.clear();
    } else {
      MDC.setContextMap(was);
    }
  }

  private void cleanLocals(List<@Nullable Object> before, List<Leak> leaks) {
    int i = 0;
    for (Map.Entry<String, ThreadLocal<?>> local : locals.entrySet()) {
      Object was = before.get(i++);
      if (!Objects.equals(was, local.getValue().get())) {
        leaks.add(new Leak(Kind.THREAD_LOCAL, "thread local " + local.getKey()));
        restore(local.getValue(), was);
      }
    }
  }

  private static <T> void restore(ThreadLocal<T> local, @Nullable Object value) {
    if (value == null) {
      local.remove();
    } else {
      @SuppressWarnings("unchecked") // it came from this thread local
      T own = (T) value;
      local.set(own);
    }
  }

  private String report(String name, Delivery delivery, List<Leak> leaks) {
    String what = leaks.stream().map(Leak::what).collect(Collectors.joining(", "));
    String fix =
        leaks.stream().map(leak -> leak.kind().fix).distinct().collect(Collectors.joining("; "));
    String text = name + " left on its thread: " + what + "; " + fix;
    boolean logs = false;
    for (Leak leak : leaks) {
      String kind = leak.kind().metricName();
      counts.computeIfAbsent(kind, any -> new LongAdder()).increment();
      logs |= isDue(name + ' ' + kind);
    }
    if (logs) {
      log.warn("{} ({}); it is removed, and logged again in a minute at most", text, delivery);
    }
    return text;
  }

  private boolean isDue(String subject) {
    long now = System.nanoTime();
    Long last = loggedAt.get(subject);
    if (last == null) {
      return loggedAt.putIfAbsent(subject, now) == null;
    }
    return now - last >= SILENCE_NANOS && loggedAt.replace(subject, last, now);
  }
}
