package dev.onceward.it.guarantee;

import dev.onceward.envelope.Event;
import dev.onceward.it.guarantee.Published.Fate;
import dev.onceward.it.scene.Scene;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes batches of records as a seed decides: keys of random bytes, the empty one and none, the
 * same ones in two topics; keys that fail for a while, for ever, or are slow; bytes that are no
 * event; transactions that abort. One thread at a time.
 */
final class Load implements AutoCloseable {

  private static final int KEYS = 160;
  private static final int BATCH = 50;
  private static final int LONGEST_KEY = 12;

  private final Setup setup;
  private final Scene scene;
  private final Topics topics;
  private final Published published;
  private final Random random;
  private final List<byte @Nullable []> keys = new ArrayList<>();
  private final Map<Lane, Integer> seqs = new HashMap<>();
  private final KafkaProducer<byte[], byte[]> transactions;
  private int numbers;
  private int overBudget;

  /** A record on its way, and what is to be noted of it. */
  private record Sending(
      ProducerRecord<byte[], byte[]> record, Lane lane, Plan plan, Fate fate, boolean effect) {}

  /** How the records of a key fare. */
  private enum Style {
    QUICK,
    SLOW,
    /** Some fail a few times. */
    FLAKY,
    /** Some fail for ever, and some are no events. */
    BAD
  }

  Load(Setup setup, Scene scene, Topics topics, Published published) {
    this.setup = setup;
    this.scene = scene;
    this.topics = topics;
    this.published = published;
    random = new Random(setup.seed());
    for (int i = 0; i < KEYS; i++) {
      keys.add(key(i));
    }
    Map<String, Object> properties = new HashMap<>(scene.kafka().clientProperties());
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, scene.group() + "-load");
    transactions =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    transactions.initTransactions();
  }

  private byte @Nullable [] key(int index) {
    if (index == 0) {
      return null;
    }
    if (index == 1) {
      return new byte[0];
    }
    byte[] bytes = new byte[1 + random.nextInt(LONGEST_KEY)];
    random.nextBytes(bytes);
    // two that are equal by chance would be of two styles
    bytes[0] = (byte) index;
    return bytes;
  }

  /** Publishes a batch and returns when the broker has it. */
  void next() {
    int choice = random.nextInt(setup.faults() ? 10 : 8);
    if (choice < 4) {
      inTransaction();
    } else if (choice < 8) {
      send(batch(topics.payments(), keys.size(), false));
    } else if (choice < 9) {
      send(batch(topics.cut(), keys.size(), false));
    } else {
      // few keys: most records are overwritten soon
      send(batch(topics.compacted(), 20, false));
    }
  }

  private void inTransaction() {
    boolean aborts = setup.faults() && random.nextInt(10) == 0;
    List<Sending> batch = batch(topics.orders(), keys.size(), aborts);
    List<Future<RecordMetadata>> pending = new ArrayList<>();
    transactions.beginTransaction();
    batch.forEach(one -> pending.add(transactions.send(one.record())));
    transactions.flush();
    if (aborts) {
      transactions.abortTransaction();
    } else {
      transactions.commitTransaction();
    }
    try {
      for (int i = 0; i < batch.size(); i++) {
        note(batch.get(i), pending.get(i).get());
      }
    } catch (ExecutionException e) {
      throw new AssertionError("a transaction's record was not taken", e.getCause());
    } catch (InterruptedException e) {
      throw Scene.interrupted(e);
    }
  }

  private void send(List<Sending> batch) {
    List<RecordMetadata> sent =
        scene.publisher().sendAll(batch.stream().map(Sending::record).toList());
    for (int i = 0; i < batch.size(); i++) {
      note(batch.get(i), sent.get(i));
    }
  }

  private void note(Sending one, RecordMetadata sent) {
    published.add(one.lane(), sent.offset(), one.fate(), one.plan(), one.effect());
  }

  private List<Sending> batch(String topic, int keyCount, boolean aborts) {
    int count = BATCH;
    if (setup.records() > 0) {
      count = (int) Math.min(count, setup.records() - published.records());
    }
    List<Sending> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      batch.add(aborts ? aborted(topic) : one(topic, index(topic, keyCount)));
    }
    return batch;
  }

  private int index(String topic, int keyCount) {
    int index = random.nextInt(keyCount);
    // a compacted topic takes no record without a key
    return index == 0 && topic.equals(topics.compacted()) ? 1 : index;
  }

  private Sending aborted(String topic) {
    Plan plan = new Plan(numbers++, 0, 0, 0, true);
    byte[] key = ("aborted-" + plan.number()).getBytes(StandardCharsets.UTF_8);
    int partition = random.nextInt(topics.partitions(topic));
    Lane lane = Lane.of(new TopicPartition(topic, partition), key);
    return new Sending(
        Scene.record(topic, partition, key, event(plan, false)), lane, plan, Fate.ABORTED, false);
  }

  private Sending one(String topic, int index) {
    byte @Nullable [] key = keys.get(index);
    // what has no key is everywhere
    int spread = key == null ? random.nextInt(1_000) : index;
    TopicPartition partition = new TopicPartition(topic, spread % topics.partitions(topic));
    Lane lane = Lane.of(partition, key);
    Style style = style(topic, index);
    if (style == Style.BAD && random.nextInt(20) == 0) {
      byte[] bytes = new byte[random.nextInt(40) + 1];
      random.nextBytes(bytes);
      // never handed to a handler, so it has no place in the lane
      Plan plan = new Plan(numbers++, -1, Plan.FOREVER, 0, false);
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(topic, partition.partition(), key, bytes);
      return new Sending(record, lane, plan, Fate.DEAD_LETTERED, false);
    }
    int seq = seqs.merge(lane, 1, Integer::sum) - 1;
    Plan plan = new Plan(numbers++, seq, failures(style), millis(style), false);
    boolean effect =
        !topic.equals(topics.cut()) && !topic.equals(topics.compacted()) && index % 4 == 3;
    return new Sending(
        Scene.record(topic, partition.partition(), key, event(plan, effect)),
        lane,
        plan,
        plan.failsForEver() ? Fate.DEAD_LETTERED : Fate.HANDLED,
        effect);
  }

  private Style style(String topic, int index) {
    if (!setup.faults() || topic.equals(topics.compacted())) {
      return Style.QUICK;
    }
    return switch (index % 20) {
      case 5, 11 -> Style.BAD;
      case 6, 7 -> Style.FLAKY;
      case 8 -> Style.SLOW;
      default -> Style.QUICK;
    };
  }

  private int failures(Style style) {
    return switch (style) {
      case BAD -> random.nextInt(10) == 0 ? Plan.FOREVER : 0;
      case FLAKY -> random.nextInt(4) == 0 ? 1 + random.nextInt(Behaviour.MAX_ATTEMPTS - 1) : 0;
      default -> 0;
    };
  }

  private int millis(Style style) {
    if (setup.overBudget() && style == Style.SLOW && random.nextInt(600) == 0) {
      overBudget++;
      return (int) setup.drainBudget().toMillis() * 2;
    }
    if (style == Style.SLOW) {
      return 10 + random.nextInt(20);
    }
    if (!setup.faults()) {
      return random.nextInt(8);
    }
    return random.nextInt(4) == 0 ? random.nextInt(4) : 0;
  }

  private static Event event(Plan plan, boolean effect) {
    return Event.builder()
        .id(plan.id())
        .source("/it/trial")
        .type(effect ? Behaviour.EFFECT : Behaviour.PLAIN)
        .subject("trial")
        .data(Scene.json("trial"), "application/json")
        .build();
  }

  /** Records whose handlers take longer than the drain budget. */
  int overBudget() {
    return overBudget;
  }

  @Override
  public void close() {
    transactions.close();
  }
}
