package dev.onceward.it.scene;

import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.postgresql.ds.PGSimpleDataSource;

/** What a child application is told: properties, on its standard input. */
public final class AppConfiguration {

  private static final String KAFKA = "kafka.";

  private final Properties properties;

  private AppConfiguration(Properties properties) {
    this.properties = properties;
  }

  /** Reads what the test has written; in the application. */
  public static AppConfiguration read() throws IOException {
    Properties properties = new Properties();
    properties.load(System.in);
    return new AppConfiguration(properties);
  }

  /** What these Kafka clients are told; in the test, which may add to it. */
  public static Properties ofClient(Map<String, Object> kafka) {
    Properties properties = new Properties();
    kafka.forEach((name, value) -> properties.put(KAFKA + name, value.toString()));
    return properties;
  }

  /** A member of the scene's group; in the test, which may add to it. */
  public static Properties ofMember(Scene scene, Map<String, Object> kafka) {
    Properties properties = ofClient(kafka);
    properties.put("group", scene.group());
    return properties;
  }

  /**
   * A {@link LedgerApp} whose group misses it after so long when it dies; see {@link
   * Scene#shortenSession}.
   */
  public static Properties ofLedgerApp(
      Scene scene,
      GroupProtocol protocol,
      int sessionMillis,
      String topic,
      TestDatabase database,
      Ledger ledger) {
    Map<String, Object> kafka = new HashMap<>(scene.properties(protocol));
    if (protocol.isClassic()) {
      kafka.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, sessionMillis);
    }
    Properties properties = ofMember(scene, kafka);
    properties.put("topic", topic);
    putDatabase(properties, database, ledger.schema());
    return properties;
  }

  /** Adds how to get at a schema of a database. */
  public static void putDatabase(Properties properties, TestDatabase database, String schema) {
    properties.put("database.url", database.jdbcUrl());
    properties.put("database.user", database.user());
    properties.put("database.password", database.password());
    properties.put("database.schema", schema);
  }

  /** The properties of its Kafka clients. */
  public Map<String, Object> kafka() {
    Map<String, Object> kafka = new HashMap<>();
    properties
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith(KAFKA)) {
                kafka.put(name.substring(KAFKA.length()), properties.getProperty(name));
              }
            });
    return kafka;
  }

  public DataSource database() {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(get("database.url"));
    database.setUser(get("database.user"));
    database.setPassword(get("database.password"));
    return database;
  }

  /** The properties whose names begin like this, without that beginning. */
  public Properties startingWith(String prefix) {
    Properties found = new Properties();
    properties
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), properties.getProperty(name));
              }
            });
    return found;
  }

  /** The value of a property that must be there. */
  public String get(String name) {
    String value = properties.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(name + " is not configured");
    }
    return value;
  }

  public long number(String name) {
    return Long.parseLong(get(name));
  }

  public long number(String name, long whenUnset) {
    return properties.containsKey(name) ? number(name) : whenUnset;
  }

  /** Whether the property has this value. */
  public boolean is(String name, String value) {
    return value.equals(properties.getProperty(name));
  }
}
