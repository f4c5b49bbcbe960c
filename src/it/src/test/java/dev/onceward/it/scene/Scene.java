package dev.onceward.it.scene;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventWriter;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.RawPublisher;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestTopics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** What one test works with: topics and a group of its own, and everything it must close. */
public final class Scene implements AutoCloseable {

  public static final String NOTED = "dev.onceward.it.noted.v1";

  private final KafkaServer kafka;
  private final TestTopics names;
  private final RawPublisher publisher;
  private final Admin admin;
  private final List<EventConsumer> consumers = new CopyOnWriteArrayList<>();
  private final List<Runnable> before = new CopyOnWriteArrayList<>();
  private final List<Runnable> after = new CopyOnWriteArrayList<>();

  private Scene(KafkaServer kafka) {
    this.kafka = kafka;
    names = TestTopics.on(kafka);
    publisher = RawPublisher.on(kafka);
    admin = Admin.create(kafka.clientProperties());
  }

  public static Scene on(KafkaServer kafka) {
    return new Scene(kafka);
  }

  /** Waits long enough for a machine that has other things to do. */
  public static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(20));
  }

  /** Runs a task that may wait on a thread of its own: the common pool can be one thread. */
  public static CompletableFuture<Void> inBackground(Runnable task) {
    return CompletableFuture.runAsync(
        task,
        run -> {
          Thread thread = new Thread(run, "background");
          thread.setDaemon(true);
          thread.start();
        });
  }

  public KafkaServer kafka() {
    return kafka;
  }

  public Admin admin() {
    return admin;
  }

  public RawPublisher publisher() {
    return publisher;
  }

  public String group() {
    return names.group("group");
  }

  /** Creates the test's topic. */
  public String topic(int partitions) {
    return topic("events", partitions);
  }

  public String topic(String name, int partitions) {
    return topic(name, partitions, Map.of());
  }

  public String topic(String name, int partitions, Map<String, String> configs) {
    String topic = names.create(name, partitions, configs);
    // a leader that is named may not serve yet; a producer's first batches would race with that
    eventually().ignoreExceptions().until(() -> kafka.endOffsets(topic).size() == partitions);
    return topic;
  }

  /** The name that the group's dead-letter topic has by convention. */
  public String deadLetters(String topic) {
    return topic + "." + group() + ".dlq";
  }

  public RecordCollector collector() {
    return RecordCollector.on(kafka).within(Duration.ofSeconds(90));
  }

  public Map<String, Object> properties(GroupProtocol protocol) {
    Map<String, Object> properties = new HashMap<>(kafka.clientProperties());
    properties.putAll(protocol.properties());
    return properties;
  }

  /** A consumer of the test's group. */
  public EventConsumer.Builder consumer(GroupProtocol protocol, Object... handlers) {
    return consumer(properties(protocol), handlers);
  }

  public EventConsumer.Builder consumer(Map<String, Object> properties, Object... handlers) {
    return EventConsumer.builder(properties)
        .group(group())
        .handlers(handlers)
        .commitInterval(Duration.ofMillis(50))
        .startTimeout(Duration.ofSeconds(60))
        .stopOnShutdown(false);
  }

  /** Builds and starts a consumer that the scene closes. */
  public EventConsumer start(EventConsumer.Builder builder) {
    EventConsumer consumer = builder.build();
    consumers.add(consumer);
    consumer.start();
    return consumer;
  }

  /** Handlers of the test's events. */
  public static LambdaHandlers notes(String topic, LambdaHandlers.Handler<Note> handler) {
    return LambdaHandlers.of("notes", topic).on(NOTED, Note.class, handler);
  }

  /** Runs before the consumers are closed: opens gates that they would wait for. */
  public void beforeClose(Runnable action) {
    before.add(action);
  }

  /** Runs after the consumers are closed. */
  public void afterClose(Runnable action) {
    after.add(action);
  }

  public static Event note(String key, String id) {
    return note(key, id, id);
  }

  public static Event note(String key, String id, String text) {
    return Event.builder()
        .id(id)
        .source("/it")
        .type(NOTED)
        .subject(key)
        .data(json(text), "application/json")
        .build();
  }

  public static byte[] json(String text) {
    return ("{\"text\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8);
  }

  /** The record of an event, to a given partition. */
  public static ProducerRecord<byte[], byte[]> record(String topic, int partition, Event event) {
    return EventWriter.binary().write(topic, partition, null, event);
  }

  /** The record of an event under a key that the event does not know. */
  public static ProducerRecord<byte[], byte[]> record(
      String topic, int partition, byte @Nullable [] key, Event event) {
    ProducerRecord<byte[], byte[]> written = record(topic, partition, event);
    written.headers().remove("ce_partitionkey");
    return new ProducerRecord<>(
        topic, partition, (Long) null, key, written.value(), written.headers());
  }

  /** So many events in a partition, the keys in turn; ids and texts are the running numbers. */
  public void publishNotes(String topic, int partition, int count, int keys) {
    publishNotes(topic, partition, 0, count, keys);
  }

  /** Those from one running number up to another, which is not among them. */
  public void publishNotes(String topic, int partition, int from, int to, int keys) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = from; i < to; i++) {
      records.add(record(topic, partition, note("key-" + i % keys, partition + "-" + i)));
    }
    publisher.sendAll(records);
  }

  /** The committed offset of the group, or -1. */
  public long committed(String topic, int partition) {
    OffsetAndMetadata offset = committed(group()).get(new TopicPartition(topic, partition));
    return offset == null ? -1 : offset.offset();
  }

  public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
    try {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return Map.of();
      }
      throw new AssertionError("the offsets of " + group + " cannot be read", e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** The sum of the committed offsets of the group. */
  public long committedInAll() {
    return committed(group()).values().stream().mapToLong(OffsetAndMetadata::offset).sum();
  }

  public ConsumerGroupDescription describe() {
    try {
      return requireNonNull(
              admin.describeConsumerGroups(List.of(group())).describedGroups().get(group()))
          .get();
    } catch (ExecutionException e) {
      throw new AssertionError("group " + group() + " cannot be described", e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * How soon the group misses a member that has died; of the classic protocols each member says.
   */
  public void shortenSession(GroupProtocol protocol, int millis) {
    if (protocol.isClassic()) {
      return;
    }
    List<AlterConfigOp> session =
        List.of(
            new AlterConfigOp(
                new ConfigEntry("consumer.session.timeout.ms", Integer.toString(millis)),
                OpType.SET),
            new AlterConfigOp(
                new ConfigEntry("consumer.heartbeat.interval.ms", "300"), OpType.SET));
    try {
      admin
          .incrementalAlterConfigs(
              Map.of(new ConfigResource(ConfigResource.Type.GROUP, group()), session))
          .all()
          .get();
    } catch (ExecutionException e) {
      throw new AssertionError("the session of " + group() + " cannot be set", e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Waits until the group has settled with so many members that own something each. */
  public void awaitMembers(int members) {
    eventually()
        .ignoreExceptions()
        .until(
            () -> {
              ConsumerGroupDescription group = describe();
              return group.groupState() == GroupState.STABLE
                  && group.members().size() == members
                  && group.members().stream()
                      .noneMatch(m -> m.assignment().topicPartitions().isEmpty());
            });
  }

  public static AssertionError interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new AssertionError("interrupted", e);
  }

  @Override
  public void close() {
    before.forEach(Runnable::run);
    consumers.forEach(EventConsumer::stop);
    consumers.forEach(EventConsumer::close);
    after.forEach(Runnable::run);
    publisher.close();
    admin.close(Duration.ofSeconds(5));
  }
}
