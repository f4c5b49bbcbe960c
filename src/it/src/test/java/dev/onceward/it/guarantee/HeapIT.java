package dev.onceward.it.guarantee;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Nothing is left behind by a commit or a rebalance: heap and metrics are the same after a hundred
 * thousand of the one and a thousand of the other (parallel-consumer #859, #912).
 */
@EngineTest
class HeapIT {

  /** Asks the application for everything; any other byte leaves the heap out. */
  static final int WITH_HEAP = 1;

  private static final int WITHOUT_HEAP = 2;
  private static final int PARTITIONS = 4;
  private static final long COMMITS = Long.getLong("onceward.heap.commits", 100_000);
  private static final long REBALANCES = Long.getLong("onceward.heap.rebalances", 1_000);
  private static final Duration LONGEST = Duration.ofMinutes(25);

  private final Scene scene;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicInteger published = new AtomicInteger();
  private final AtomicInteger rebalances = new AtomicInteger();

  HeapIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    ended.set(true);
    scene.close();
  }

  /** What the application told. */
  private record Told(long heap, long metrics, long commits, long partitions) {}

  @Test
  @ChaosTest
  void heapAndMetricsAreFlatOverManyCommitsAndRebalances() throws Exception {
    String topic = scene.topic(PARTITIONS);
    scene
        .admin()
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.GROUP, scene.group()),
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry("consumer.heartbeat.interval.ms", "100"), OpType.SET))))
        .all()
        .get();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ChildApp app = ChildApp.start(HeapApp.class, configuration(topic, server.getLocalPort()));
        Socket socket = server.accept()) {
      // a tenth is warm-up: code is compiled, pools fill, each metric is there
      disturb(topic, socket, COMMITS / 10, REBALANCES / 10);
      Told before = ask(socket, WITH_HEAP);
      int rebalancesBefore = rebalances.get();
      disturb(topic, socket, before.commits() + COMMITS, rebalances.get() + REBALANCES);
      Told after = ask(socket, WITH_HEAP);
      System.out.printf(
          "heap: %s, after %d commits and %d rebalances %s%n",
          before, after.commits() - before.commits(), rebalances.get() - rebalancesBefore, after);

      assertThat(app.isAlive()).as(app.log()).isTrue();
      assertThat(after.metrics()).isEqualTo(before.metrics()).isPositive();
      assertThat(after.heap()).isCloseTo(before.heap(), Percentage.withPercentage(5));
    }
  }

  /** Goes on until there were so many in all, and then waits until all is committed. */
  private void disturb(String topic, Socket socket, long commits, long rebalancesInAll) {
    ended.set(false);
    List<CompletableFuture<Void>> tasks = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      int trickleTo = partition;
      tasks.add(Scene.inBackground(() -> trickle(topic, trickleTo)));
    }
    tasks.add(Scene.inBackground(() -> joinAndLeave(topic, socket)));
    eventually()
        .atMost(LONGEST)
        .pollInterval(Duration.ofMillis(500))
        .until(
            () ->
                (ask(socket, WITHOUT_HEAP).commits() >= commits
                        && rebalances.get() >= rebalancesInAll)
                    || tasks.stream().anyMatch(CompletableFuture::isDone));
    ended.set(true);
    tasks.forEach(CompletableFuture::join);
    eventually().until(() -> scene.committedInAll() == published.get());
  }

  /** One record after the other, so that there is always one to commit. */
  private void trickle(String topic, int partition) {
    for (int i = 0; !ended.get(); i++) {
      scene
          .publisher()
          .send(Scene.record(topic, partition, Scene.note("key-" + i % 50, "note-" + i)));
      published.incrementAndGet();
    }
  }

  /** A member that takes its share from the application, and gives it back. */
  private void joinAndLeave(String topic, Socket socket) {
    Map<String, Object> properties = new HashMap<>(scene.properties(GroupProtocol.CONSUMER));
    properties.put("group.id", scene.group());
    properties.put("enable.auto.commit", false);
    properties.put("auto.offset.reset", "earliest");
    while (!ended.get()) {
      eventually().until(() -> ask(socket, WITHOUT_HEAP).partitions() == PARTITIONS);
      try (KafkaConsumer<byte[], byte[]> other =
          new KafkaConsumer<>(
              properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        other.subscribe(List.of(topic));
        while (other.assignment().isEmpty() && !ended.get()) {
          other.poll(Duration.ofMillis(20));
        }
      }
      // what it took was revoked, and is assigned again
      rebalances.addAndGet(2);
    }
  }

  private static Told ask(Socket socket, int what) throws IOException {
    synchronized (socket) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.write(what);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return new Told(in.readLong(), in.readLong(), in.readLong(), in.readLong());
    }
  }

  private Properties configuration(String topic, int port) {
    Properties configuration =
        AppConfiguration.ofMember(scene, scene.properties(GroupProtocol.CONSUMER));
    configuration.put("topic", topic);
    configuration.put("port", Integer.toString(port));
    return configuration;
  }
}
