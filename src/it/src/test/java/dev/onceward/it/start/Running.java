package dev.onceward.it.start;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** The threads and Kafka clients that run in this JVM, to see that none is left behind. */
public final class Running {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Threads of clients; those of a broker in this JVM come and go as they like. */
  private static final List<String> THREADS =
      List.of(
          "onceward-",
          "kafka-admin-client-thread",
          "kafka-producer-network-thread",
          "kafka-coordinator-heartbeat-thread",
          "consumer_background_thread",
          "HikariPool",
          "HouseKeeper");

  private static final List<String> CLIENTS =
      List.of("kafka.admin.client", "kafka.consumer", "kafka.producer");

  private final Set<Thread> threads = threads();
  private final Set<ObjectName> clients = clients();

  private Running() {}

  /** What runs now. */
  public static Running now() {
    return new Running();
  }

  /** Waits until nothing runs that did not run then. */
  public void awaitNothingMore() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(without(threads(), threads)).as("threads left behind").isEmpty();
              assertThat(without(clients(), clients)).as("clients left open").isEmpty();
            });
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> THREADS.stream().anyMatch(thread.getName()::startsWith))
        .collect(toSet());
  }

  private static Set<ObjectName> clients() {
    Set<ObjectName> found = new HashSet<>();
    for (String domain : CLIENTS) {
      found.addAll(
          ManagementFactory.getPlatformMBeanServer()
              .queryNames(name(domain + ":type=app-info,*"), null));
    }
    return found;
  }

  private static ObjectName name(String pattern) {
    try {
      return new ObjectName(pattern);
    } catch (MalformedObjectNameException e) {
      throw new AssertionError(e);
    }
  }

  private static <T> Set<T> without(Set<T> all, Set<T> known) {
    Set<T> left = new HashSet<>(all);
    left.removeAll(known);
    return left;
  }
}
