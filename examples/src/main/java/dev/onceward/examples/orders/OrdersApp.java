package dev.onceward.examples.orders;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.examples.Database;
import dev.onceward.examples.Services;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The application: billing and shipping, each with a consumer group of its own. Reads its
 * configuration, as properties, from standard input; ends on SIGTERM.
 */
public final class OrdersApp {

  private static final int CONCURRENCY = 16;
  private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);

  private OrdersApp() {}

  public static void main(String[] args) throws Exception {
    Properties configuration = new Properties();
    configuration.load(System.in);
    // without the demo its broker and database are gone too: what is left would only wait for them
    var unused =
        ProcessHandle.current()
            .parent()
            .map(demo -> demo.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
    Database database =
        new Database(
            configuration.getProperty("database.url"),
            configuration.getProperty("database.user"),
            configuration.getProperty("database.password"));
    Map<String, Object> kafka = new HashMap<>();
    configuration
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith("kafka.")) {
                kafka.put(name.substring("kafka.".length()), configuration.getProperty(name));
              }
            });
    try (HikariDataSource pool = Services.pool(database, 2 * CONCURRENCY, CONNECTION_TIMEOUT);
        EventConsumer billing = consumer(kafka, "billing", new Billing(), pool);
        EventConsumer shipping = consumer(kafka, "shipping", new Shipping(), pool)) {
      billing.start();
      shipping.start();
      billing.awaitStop();
      shipping.awaitStop();
    }
  }

  private static EventConsumer consumer(
      Map<String, Object> kafka, String group, Object handlers, HikariDataSource pool) {
    Map<String, Object> properties = new HashMap<>(kafka);
    // a restarted member with the same name takes its partitions back at once, even after kill -9
    properties.put("group.instance.id", group + "-1");
    return EventConsumer.builder(properties)
        .group(group)
        .handlers(handlers)
        .inbox(JdbcInbox.on(pool))
        .concurrency(CONCURRENCY)
        .build();
  }
}
