package dev.onceward.it.effect;

import static dev.onceward.it.scene.Scene.eventually;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** Ways to write an effect, a dedupe row and a version for each event, on so many threads. */
final class SpeedArms {

  /** A way; {@code start} returns what tells how many effects are committed. */
  record Arm(String name, Start start) {}

  /** Starts to consume a topic. */
  interface Start {
    Running on(String topic) throws Exception;
  }

  /** What has been started. */
  record Running(LongSupplier committed, AutoCloseable stop) {}

  private static final int BATCH = 500;

  private final Scene scene;
  private final Ledger ledger;
  private final int threads;
  private final ObjectMapper json = new ObjectMapper();
  private final AtomicLong firstNanos = new AtomicLong();

  SpeedArms(Scene scene, Ledger ledger, int threads) throws SQLException {
    this.scene = scene;
    this.ledger = ledger;
    this.threads = threads;
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE hand_dedupe (handler smallint, event_key uuid, PRIMARY KEY (handler,"
              + " event_key))");
      statement.execute(
          "CREATE TABLE hand_version (handler smallint, entity_key uuid, version bigint, PRIMARY"
              + " KEY (handler, entity_key)) WITH (fillfactor = 80)");
    }
  }

  List<Arm> all() {
    String only = System.getProperty("onceward.inbox.arms", "");
    return Stream.of(
            new Arm("loop", topic -> loop(topic, false)),
            new Arm("onceward", topic -> onceward(topic, false)),
            new Arm("loop-batch", topic -> loop(topic, true)),
            new Arm("onceward-lists", topic -> onceward(topic, true)),
            new Arm("spring", this::spring))
        .filter(arm -> only.isEmpty() || List.of(only.split(",")).contains(arm.name()))
        .toList();
  }

  /** Events a second, from the first that is handled to the last that is committed. */
  double run(Arm arm, String topic, int events) throws Exception {
    firstNanos.set(0);
    Running running = arm.start().on(topic);
    try {
      eventually()
          .atMost(Duration.ofMinutes(3))
          .pollInterval(Duration.ofMillis(5))
          .until(() -> running.committed().getAsLong() >= events);
      return events * 1e9 / (System.nanoTime() - firstNanos.get());
    } finally {
      running.stop().close();
    }
  }

  private void begins() {
    if (firstNanos.get() == 0) {
      firstNanos.compareAndSet(0, System.nanoTime());
    }
  }

  private Running onceward(String topic, boolean lists) {
    LambdaHandlers handlers = LambdaHandlers.of("speed", topic);
    if (lists) {
      handlers.onBatch(
          Scene.NOTED,
          Note.class,
          (notes, deliveries, tx) -> {
            begins();
            insertAll(tx, notes.stream().map(Note::text).toList());
          },
          Guarantee.IDEMPOTENT,
          Guarantee.VERSION_GUARD);
    } else {
      handlers.on(
          Scene.NOTED,
          Note.class,
          (Note note, dev.onceward.consumer.Delivery delivery, Connection tx) -> {
            begins();
            ledger.add(tx, "speed", note.text());
          },
          Guarantee.IDEMPOTENT,
          Guarantee.VERSION_GUARD);
    }
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(GroupProtocol.COOPERATIVE, handlers)
                .group(topic)
                .inbox(JdbcInbox.on(ledger.dataSource()))
                .concurrency(threads)
                .commitInterval(Duration.ofMillis(500))
                .batches(BatchPolicy.of(BATCH).maxTime(Duration.ofSeconds(1))));
    return new Running(() -> consumer.counts().applied(), consumer);
  }

  private Running loop(String topic, boolean oneStatement) {
    AtomicBoolean stopped = new AtomicBoolean();
    AtomicLong committed = new AtomicLong();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    for (int i = 0; i < threads; i++) {
      pool.execute(() -> consume(topic, oneStatement, stopped, committed));
    }
    return new Running(
        committed::get,
        () -> {
          stopped.set(true);
          pool.shutdown();
        });
  }

  private void consume(
      String topic, boolean oneStatement, AtomicBoolean stopped, AtomicLong committed) {
    Map<String, Object> properties = properties(topic);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, BATCH);
    try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        Connection connection = ledger.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      consumer.subscribe(List.of(topic));
      while (!stopped.get()) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(50));
        if (!records.isEmpty()) {
          begins();
          List<ConsumerRecord<byte[], byte[]>> batch = new ArrayList<>();
          records.forEach(batch::add);
          apply(connection, batch, oneStatement);
          connection.commit();
          consumer.commitAsync();
          committed.addAndGet(batch.size());
        }
      }
      connection.setAutoCommit(true);
    } catch (Exception e) {
      throw new IllegalStateException("the loop has ended", e);
    }
  }

  private void apply(
      Connection connection, List<ConsumerRecord<byte[], byte[]>> batch, boolean oneStatement)
      throws Exception {
    Map<UUID, String> texts = new LinkedHashMap<>();
    Map<UUID, Long> versions = new LinkedHashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : batch) {
      Event event = EventReader.standard().read(record);
      texts.put(key(event.getSource() + event.getId()), text(event));
      versions.merge(
          key(event.entityKey().orElseThrow()), event.entityVersion().orElseThrow(), Math::max);
    }
    Set<UUID> fresh = dedupe(connection, texts.keySet());
    try (PreparedStatement upsert =
        connection.prepareStatement(
            "INSERT INTO hand_version AS v SELECT 1, k, n FROM unnest(?::uuid[], ?::bigint[]) AS"
                + " t(k, n) ON CONFLICT (handler, entity_key) DO UPDATE SET version ="
                + " excluded.version WHERE v.version < excluded.version")) {
      upsert.setArray(1, array(connection, "uuid", versions.keySet().toArray()));
      upsert.setArray(2, array(connection, "bigint", versions.values().toArray()));
      upsert.executeUpdate();
    }
    List<String> effects = new ArrayList<>();
    texts.forEach(
        (key, text) -> {
          if (fresh.contains(key)) {
            effects.add(text);
          }
        });
    if (oneStatement) {
      insertAll(connection, effects);
    } else {
      for (String text : effects) {
        ledger.add(connection, "speed", text);
      }
    }
  }

  private static Set<UUID> dedupe(Connection connection, Set<UUID> keys) throws SQLException {
    Set<UUID> fresh = new HashSet<>();
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO hand_dedupe SELECT 1, unnest(?::uuid[]) ON CONFLICT DO NOTHING RETURNING"
                + " event_key")) {
      insert.setArray(1, array(connection, "uuid", keys.toArray()));
      try (ResultSet inserted = insert.executeQuery()) {
        while (inserted.next()) {
          fresh.add(inserted.getObject(1, UUID.class));
        }
      }
    }
    return fresh;
  }

  private static Array array(Connection connection, String type, Object[] values)
      throws SQLException {
    return connection.createArrayOf(type, values);
  }

  private void insertAll(Connection connection, List<String> texts) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO ledger (handler, event_id) VALUES (?, ?)")) {
      for (String text : texts) {
        insert.setString(1, "speed");
        insert.setString(2, text);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  private Running spring(String topic) {
    AtomicLong committed = new AtomicLong();
    ContainerProperties container = new ContainerProperties(topic);
    container.setGroupId(topic);
    container.setAckMode(AckMode.BATCH);
    container.setMessageListener(
        (MessageListener<byte[], byte[]>)
            record -> {
              begins();
              one(record);
              committed.incrementAndGet();
            });
    ConcurrentMessageListenerContainer<byte[], byte[]> listeners =
        new ConcurrentMessageListenerContainer<>(
            new DefaultKafkaConsumerFactory<>(
                properties(topic), new ByteArrayDeserializer(), new ByteArrayDeserializer()),
            container);
    listeners.setConcurrency(threads);
    listeners.start();
    return new Running(committed::get, listeners::stop);
  }

  /** One transaction for one record, as a listener does it. */
  private void one(ConsumerRecord<byte[], byte[]> record) {
    try (Connection connection = ledger.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      Event event = EventReader.standard().read(record);
      try (PreparedStatement claim =
          connection.prepareStatement(
              "WITH d AS (INSERT INTO hand_dedupe VALUES (2, ?) ON CONFLICT DO NOTHING RETURNING"
                  + " 1) INSERT INTO hand_version AS v SELECT 2, ?, ? FROM d ON CONFLICT (handler,"
                  + " entity_key) DO UPDATE SET version = excluded.version WHERE v.version <"
                  + " excluded.version")) {
        claim.setObject(1, key(event.getSource() + event.getId()));
        claim.setObject(2, key(event.entityKey().orElseThrow()));
        claim.setLong(3, event.entityVersion().orElseThrow());
        if (claim.executeUpdate() == 1) {
          ledger.add(connection, "speed", text(event));
        }
      }
      connection.commit();
      connection.setAutoCommit(true);
    } catch (Exception e) {
      throw new IllegalStateException("a record was not applied", e);
    }
  }

  private String text(Event event) throws Exception {
    return json.readValue(requireNonNull(event.getData()).toBytes(), Note.class).text();
  }

  private static UUID key(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private Map<String, Object> properties(String group) {
    Map<String, Object> properties = new HashMap<>(scene.properties(GroupProtocol.COOPERATIVE));
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return properties;
  }
}
