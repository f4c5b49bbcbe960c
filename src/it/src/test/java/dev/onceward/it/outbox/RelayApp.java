package dev.onceward.it.outbox;

import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.producer.outbox.OutboxRelay;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A relay in a JVM of its own. Closes in order on SIGTERM. */
public final class RelayApp {

  private RelayApp() {}

  public static void main(String[] args) throws Exception {
    AppConfiguration configuration = AppConfiguration.read();
    OutboxRelay relay =
        OutboxRelay.builder(configuration.kafka(), configuration.database())
            .schema(configuration.get("database.schema"))
            .name(configuration.get("name"))
            .leaseDuration(Duration.ofMillis(configuration.number("leaseMillis", 2_000)))
            .sweepInterval(Duration.ofSeconds(2))
            .build();
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  relay.close();
                  System.out.println("closed: " + relay.counts());
                  closed.countDown();
                }));
    relay.start();
    closed.await();
  }
}
