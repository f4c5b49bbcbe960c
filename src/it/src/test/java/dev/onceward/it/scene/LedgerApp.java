package dev.onceward.it.scene;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A small consumer application in a JVM of its own. Reads its configuration, as properties, from
 * standard input; ends on SIGTERM, or halts in the middle as it is told.
 */
public final class LedgerApp {

  public static final int HALTED = 42;

  private LedgerApp() {}

  public static void main(String[] args) throws Exception {
    AppConfiguration configuration = AppConfiguration.read();
    long handlerMillis = configuration.number("handlerMillis");
    try (Ledger ledger =
            Ledger.open(configuration.database(), configuration.get("database.schema"));
        EventConsumer consumer =
            EventConsumer.builder(configuration.kafka())
                .group(configuration.get("group"))
                .handlers(ledger.billing(configuration.get("topic")))
                .inbox(JdbcInbox.on(ledger.dataSource()))
                .concurrency(4)
                .drainBudget(Duration.ofMillis(configuration.number("drainMillis", 10_000)))
                .commitInterval(Duration.ofMillis(configuration.number("commitMillis")))
                .interceptor(
                    chain -> {
                      Thread.sleep(handlerMillis);
                      String id = chain.delivery().event().getId();
                      if (configuration.is("haltIn", id)) {
                        Runtime.getRuntime().halt(HALTED);
                      } else if (configuration.is("exitIn", id)) {
                        System.exit(HALTED);
                      } else if (configuration.is("exhaustIn", id)) {
                        exhaustMemory();
                      }
                      var outcome = chain.proceed(chain.delivery());
                      if (configuration.is("haltAfter", id)) {
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
