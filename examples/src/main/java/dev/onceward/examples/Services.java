package dev.onceward.examples;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.TestDatabase;
import dev.onceward.testkit.TestkitException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The broker and the database that an example works with. */
public final class Services implements AutoCloseable {

  private final ServicesOptions options;
  private final @Nullable KafkaServer kafka;
  private final @Nullable PostgresServer postgres;
  private final Map<String, Object> kafkaProperties;
  private final Database database;

  private Services(
      ServicesOptions options,
      @Nullable KafkaServer kafka,
      @Nullable PostgresServer postgres,
      Map<String, Object> kafkaProperties,
      Database database) {
    this.options = options;
    this.kafka = kafka;
    this.postgres = postgres;
    this.kafkaProperties = Map.copyOf(kafkaProperties);
    this.database = database;
  }

  /**
   * Starts what the options do not name.
   *
   * @param databaseName the database to use in a server that is started here
   * @param data where that server keeps its data, or null to keep nothing
   */
  public static Services start(ServicesOptions options, String databaseName, @Nullable Path data) {
    String url = options.databaseUrl();
    if (url != null) {
      new Database(url, options.databaseUser(), options.databasePassword())
          .check(options.startTimeout());
    }
    PostgresServer postgres = url == null ? postgres(data) : null;
    try {
      Database database =
          postgres == null
              ? new Database(
                  String.valueOf(url), options.databaseUser(), options.databasePassword())
              : database(postgres, databaseName);
      String servers = options.bootstrapServers();
      KafkaServer kafka = servers == null ? ChildKafka.start() : null;
      Map<String, Object> properties = new HashMap<>(options.kafkaProperties());
      if (kafka == null) {
        properties.put("bootstrap.servers", String.valueOf(servers));
      } else {
        properties.putAll(kafka.clientProperties());
      }
      return new Services(options, kafka, postgres, properties, database);
    } catch (RuntimeException e) {
      if (postgres != null) {
        postgres.close();
      }
      throw e;
    }
  }

  private static PostgresServer postgres(@Nullable Path data) {
    if (data == null) {
      return PostgresServer.start();
    }
    try {
      return PostgresServer.builder().directory(data).start();
    } catch (TestkitException e) {
      // its first line; then comes, if it has any, the end of the server's log
      List<String> problem = String.valueOf(e.getMessage()).lines().toList();
      throw new DemoFailure("--data: " + problem.get(0), e, problem.size() > 1);
    }
  }

  private static Database database(PostgresServer server, String name) {
    TestDatabase database = server.database(name);
    return new Database(database.jdbcUrl(), database.user(), database.password());
  }

  /** The properties of Kafka clients. */
  public Map<String, Object> kafkaProperties() {
    return kafkaProperties;
  }

  public Database database() {
    return database;
  }

  /** The inbox on a pool of connections to the database. */
  public JdbcInbox inbox(DataSource pool) {
    return JdbcInbox.builder(pool).dataSourceName("--database-url " + database.place()).build();
  }

  /** A pool of connections; the caller closes it. */
  public HikariDataSource pool(int size) {
    return pool(database, size, options.startTimeout());
  }

  /** A pool of connections that opens none before it is asked for one. */
  public static HikariDataSource pool(Database database, int size, Duration connectionTimeout) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(connectionTimeout.toMillis());
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  @Override
  public void close() {
    if (kafka != null) {
      kafka.close();
    }
    if (postgres != null) {
      postgres.close();
    }
  }
}
