package dev.onceward.it.guarantee;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.Ledger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A member of a trial in a JVM of its own. Reads its configuration from standard input. */
final class MemberApp {

  static final int UNOBSERVED = 43;

  private MemberApp() {}

  public static void main(String[] args) throws Exception {
    AppConfiguration configuration = AppConfiguration.read();
    RemoteObserver observer =
        new RemoteObserver(
            configuration.get("member"), (int) configuration.number("observer.port"));
    // platform threads: an interrupt would close the socket that a virtual thread reads from, and
    // the observer would take it for the death of the process
    ExecutorService threads = Executors.newFixedThreadPool(Behaviour.CONCURRENCY);
    try (Ledger ledger =
            Ledger.open(configuration.database(), configuration.get("database.schema"));
        EventConsumer consumer =
            Behaviour.member(
                    configuration.kafka(),
                    configuration.get("group"),
                    List.of(configuration.get("topics").split(",", -1)),
                    ledger,
                    Duration.ofMillis(configuration.number("drainMillis")),
                    observer)
                .executor(threads)
                .build()) {
      consumer.start();
      consumer.awaitStop();
    } finally {
      threads.shutdownNow();
    }
  }
}
