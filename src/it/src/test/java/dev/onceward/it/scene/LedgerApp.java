package dev.onceward.it.scene;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A small consumer application in a JVM of its own. Reads its configuration, as properties, from
 * standard input; ends on SIGTERM, or halts in the middle as it is told.
 */
public final class LedgerApp {

  public static final int HALTED = 42;

  private LedgerApp() {}

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
    String haltAfter = configuration.getProperty("haltAfter");
    String haltIn = configuration.getProperty("haltIn");
    String exitIn = configuration.getProperty("exitIn");
    long drainMillis = Long.parseLong(configuration.getProperty("drainMillis", "10000"));
    String exhaustIn = configuration.getProperty("exhaustIn");
    long handlerMillis = Long.parseLong(configuration.getProperty("handlerMillis"));
    try (Ledger ledger = Ledger.open(database, configuration.getProperty("database.schema"));
        EventConsumer consumer =
            EventConsumer.builder(kafka)
                .group(configuration.getProperty("group"))
                .handlers(ledger.billing(configuration.getProperty("topic")))
                .inbox(JdbcInbox.on(ledger.dataSource()))
                .concurrency(4)
                .drainBudget(Duration.ofMillis(drainMillis))
                .commitInterval(
                    Duration.ofMillis(Long.parseLong(configuration.getProperty("commitMillis"))))
                .interceptor(
                    chain -> {
                      Thread.sleep(handlerMillis);
                      String id = chain.delivery().event().getId();
                      if (id.equals(haltIn)) {
                        Runtime.getRuntime().halt(HALTED);
                      } else if (id.equals(exitIn)) {
                        System.exit(HALTED);
                      } else if (id.equals(exhaustIn)) {
                        exhaustMemory();
                      }
                      var outcome = chain.proceed(chain.delivery());
                      if (id.equals(haltAfter)) {
                        // the effect is committed, the offset is not: the worst moment
                        Runtime.getRuntime().halt(HALTED);
                      }
                      return outcome;
                    })
                .build()) {
      consumer.start();
      consumer.awaitStop();
    }
  }

  /** What a record with a length that nobody has checked can do. */
  private static void exhaustMemory() {
    List<long[]> held = new ArrayList<>();
    while (held.size() < Integer.MAX_VALUE) {
      held.add(new long[1 << 20]);
    }
  }
}
