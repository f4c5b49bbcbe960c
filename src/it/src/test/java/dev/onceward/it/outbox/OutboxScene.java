package dev.onceward.it.outbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.envelope.Event;
import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.Scene;
import dev.onceward.producer.outbox.Outbox;
import dev.onceward.producer.outbox.OutboxAdmin;
import dev.onceward.producer.outbox.OutboxRelay;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** An outbox in a schema of its own, entities that it tells of, and relays. */
final class OutboxScene implements AutoCloseable {

  private final Scene scene;
  private final TestDatabase database;
  private final HikariDataSource pool;
  private final String schema = "outbox_" + UUID.randomUUID().toString().replace('-', '_');
  private final Outbox outbox = Outbox.standard();
  private final List<AutoCloseable> closed = new CopyOnWriteArrayList<>();

  OutboxScene(KafkaServer kafka, TestDatabase database) {
    this.scene = Scene.on(kafka);
    this.database = database;
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setSchema(schema);
    config.setMaximumPoolSize(20);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    this.pool = new HikariDataSource(config);
    OutboxAdmin.on(database.dataSource(), schema, "onceward_").createSchema();
    execute("CREATE TABLE entity (key text PRIMARY KEY, version bigint NOT NULL)");
  }

  String schema() {
    return schema;
  }

  Scene scene() {
    return scene;
  }

  DataSource dataSource() {
    return pool;
  }

  Outbox outbox() {
    return outbox;
  }

  OutboxAdmin admin() {
    return OutboxAdmin.on(pool);
  }

  OutboxRelay.Builder relay() {
    return relay(Map.of());
  }

  OutboxRelay.Builder relay(Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(scene.kafka().clientProperties());
    properties.putAll(more);
    return OutboxRelay.builder(properties, pool)
        .leaseDuration(Duration.ofSeconds(3))
        .sweepInterval(Duration.ofSeconds(1));
  }

  /** Starts a relay that the scene closes. */
  OutboxRelay start(OutboxRelay.Builder builder) {
    OutboxRelay relay = builder.build();
    closed.add(relay);
    relay.start();
    return relay;
  }

  /** Starts a relay in a process of its own. */
  ChildApp startApp(String name, int leaseMillis) {
    ChildApp app = ChildApp.start(RelayApp.class, configuration(name, leaseMillis));
    closed.add(app);
    return app;
  }

  Properties configuration(String name, int leaseMillis) {
    Properties configuration = AppConfiguration.ofClient(scene.kafka().clientProperties());
    AppConfiguration.putDatabase(configuration, database, schema);
    configuration.put("name", name);
    configuration.put("leaseMillis", Integer.toString(leaseMillis));
    return configuration;
  }

  interface InTransaction {
    void run(Connection tx) throws SQLException;
  }

  /** Runs something in a transaction and commits it. */
  void commit(InTransaction work) {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      try {
        work.run(connection);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  void createEntities(int count) {
    execute(
        "INSERT INTO entity SELECT 'key-' || k, 0 FROM generate_series(0, " + (count - 1) + ") k");
  }

  /** Counts the version of an entity up, which locks it, and appends the event that tells so. */
  void change(Connection tx, String topic, String key) throws SQLException {
    outbox.append(tx, topic, changed(tx, key));
  }

  static Event changed(Connection tx, String key) throws SQLException {
    try (PreparedStatement update =
        tx.prepareStatement(
            "UPDATE entity SET version = version + 1 WHERE key = ? RETURNING version")) {
      update.setString(1, key);
      try (ResultSet version = update.executeQuery()) {
        version.next();
        return event(key, version.getLong(1));
      }
    }
  }

  static Event event(String key, long version) {
    return Event.builder()
        .id(key + "/" + version)
        .source("/it/outbox")
        .type(Scene.NOTED)
        .subject(key)
        .entityVersion(version)
        .data(Scene.json("version " + version), "application/json")
        .build();
  }

  void append(String topic, Event event) {
    commit(tx -> outbox.append(tx, topic, event));
  }

  /** Waits until the outbox is empty, and returns what the topic holds. */
  Occurrences awaitEmpty(String topic) {
    Scene.eventually().until(() -> number("SELECT count(*) FROM onceward_outbox") == 0);
    return occurrences(topic);
  }

  Occurrences occurrences(String topic) {
    return Occurrences.in(scene.kafka(), topic);
  }

  List<ConsumerRecord<byte[], byte[]>> awaitRecords(String topic, int count) {
    return scene.collector().awaitCount(topic, count);
  }

  /** What the entities say was appended: the sum of their versions. */
  long changes() {
    return number("SELECT coalesce(sum(version), 0) FROM entity");
  }

  void execute(String sql) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  long number(String sql) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable each : closed) {
      each.close();
    }
    scene.close();
    pool.close();
  }
}
