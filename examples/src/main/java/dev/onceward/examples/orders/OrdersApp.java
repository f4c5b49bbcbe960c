package dev.onceward.examples.orders;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.examples.Database;
import dev.onceward.examples.Services;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.slf4j.LoggerFactory;

/**
 * The application: billing and shipping, each with a consumer group of its own. Reads its
 * configuration from standard input: a length of four bytes and then properties. Stops gracefully
 * on SIGTERM, and when the standard input ends, which it does however the demo ends.
 */
public final class OrdersApp {

  private static final int CONCURRENCY = 16;
  private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);

  /** Longer makes no sense: the servers that the demo has started go with it. */
  private static final Duration STOP_WITHOUT_PARENT = Duration.ofSeconds(3);

  private OrdersApp() {}

  public static void main(String[] args) throws Exception {
    Properties configuration = new Properties();
    DataInputStream in = new DataInputStream(System.in);
    configuration.load(new ByteArrayInputStream(in.readNBytes(in.readInt())));
    endWithParent(in);
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

  private static void endWithParent(InputStream in) {
    Thread watch = new Thread(() -> awaitEndAndStop(in), "watch-parent");
    watch.setDaemon(true);
    watch.start();
  }

  private static void awaitEndAndStop(InputStream in) {
    try {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      LoggerFactory.getLogger(OrdersApp.class).error("lost the demo", e);
    }
    // does not return: the consumers stop in its hooks
    Thread exit = new Thread(() -> System.exit(1), "stop");
    exit.start();
    try {
      exit.join(STOP_WITHOUT_PARENT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
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
