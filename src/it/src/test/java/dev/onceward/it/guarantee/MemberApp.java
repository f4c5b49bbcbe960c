package dev.onceward.it.guarantee;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.Ledger;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.postgresql.ds.PGSimpleDataSource;

/** A member of a trial in a JVM of its own. Reads its configuration from standard input. */
final class MemberApp {

  static final int UNOBSERVED = 43;

  private MemberApp() {}

  public static void main(String[] args) throws Exception {
    Properties configuration = new Properties();
    configuration.load(System.in);
    Map<String, Object> kafka = new HashMap<>();
    configuration
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith("kafka.")) {
                kafka.put(name.substring("kafka.".length()), configuration.getProperty(name));
              }
            });
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(configuration.getProperty("database.url"));
    database.setUser(configuration.getProperty("database.user"));
    database.setPassword(configuration.getProperty("database.password"));
    RemoteObserver observer =
        new RemoteObserver(
            configuration.getProperty("member"),
            Integer.parseInt(configuration.getProperty("observer.port")));
    // platform threads: an interrupt would close the socket that a virtual thread reads from, and
    // the observer would take it for the death of the process
    ExecutorService threads = Executors.newFixedThreadPool(Behaviour.CONCURRENCY);
    try (Ledger ledger = Ledger.open(database, configuration.getProperty("database.schema"));
        EventConsumer consumer =
            Behaviour.member(
                    kafka,
                    configuration.getProperty("group"),
                    List.of(configuration.getProperty("topics").split(",", -1)),
                    ledger,
                    Duration.ofMillis(Long.parseLong(configuration.getProperty("drainMillis"))),
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
