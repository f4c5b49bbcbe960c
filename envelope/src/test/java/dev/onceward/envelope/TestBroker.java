package dev.onceward.envelope;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** One broker in this JVM. The testkit, which has a better one, stands on this module. */
final class TestBroker implements AutoCloseable {
  private final KafkaRaftServer server;
  private final String bootstrap;

  private TestBroker(KafkaRaftServer server, String bootstrap) {
    this.server = server;
    this.bootstrap = bootstrap;
  }

  static TestBroker start(Path directory) throws IOException {
    int port = freePort();
    int controller = freePort();
    Map<String, String> settings = new HashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller);
    settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("controller.quorum.bootstrap.servers", "127.0.0.1:" + controller);
    settings.put("log.dirs", directory.resolve("data").toString());
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("auto.create.topics.enable", "false");
    Properties properties = new Properties();
    properties.putAll(settings);
    Path file = Files.createDirectories(directory).resolve("server.properties");
    try (Writer out = Files.newBufferedWriter(file)) {
      properties.store(out, null);
    }
    PrintStream silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    int exit =
        kafka.tools.StorageTool.execute(
            new String[] {
              "format",
              "--config",
              file.toString(),
              "--cluster-id",
              Uuid.randomUuid().toString(),
              "--standalone"
            },
            silent);
    if (exit != 0) {
      throw new IllegalStateException("Storage was not formatted, exit code " + exit);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
    server.startup();
    return new TestBroker(server, "127.0.0.1:" + port);
  }

  String bootstrap() {
    return bootstrap;
  }

  static List<ConsumerRecord<byte[], byte[]>> poll(
      KafkaConsumer<byte[], byte[]> consumer, int count) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (records.size() < count && System.nanoTime() < deadline) {
      consumer.poll(Duration.ofMillis(200)).forEach(records::add);
    }
    return records;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
