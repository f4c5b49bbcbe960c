package dev.onceward.it.guarantee;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.Scene;
import dev.onceward.tracing.EventTracing;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A consumer in a JVM of its own, which tells what is in its heap, how many metrics there are, and
 * what the Kafka client counted. So neither the broker nor the test is in the figures.
 */
final class HeapApp {

  private static final int COLLECTIONS = 3;

  private HeapApp() {}

  public static void main(String[] args) throws Exception {
    Properties configuration = new Properties();
    configuration.load(System.in);
    Map<String, Object> kafka = new HashMap<>();
    configuration
        .stringPropertyNames()
        .forEach(
            name -> {
              if (name.startsWith("kafka.")) {
                kafka.put(name.substring("kafka.".length()), configuration.getProperty(name));
              }
            });
    InMemoryMetricReader metrics = InMemoryMetricReader.create();
    try (OpenTelemetrySdk telemetry =
            OpenTelemetrySdk.builder()
                .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
                .build();
        EventConsumer consumer =
            EventConsumer.builder(kafka)
                .group(configuration.getProperty("group"))
                .handlers(Scene.notes(configuration.getProperty("topic"), (note, delivery) -> {}))
                .commitInterval(Duration.ofMillis(1))
                .tracing(EventTracing.builder().openTelemetry(telemetry).build())
                .build()) {
      consumer.start();
      int port = Integer.parseInt(configuration.getProperty("port"));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        answer(socket, metrics, consumer);
      }
    }
  }

  /** Answers until the test closes the connection. */
  private static void answer(Socket socket, InMemoryMetricReader metrics, EventConsumer consumer)
      throws Exception {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    for (int asked = in.read(); asked >= 0; asked = in.read()) {
      out.writeLong(asked == HeapIT.WITH_HEAP ? heapInUse() : 0);
      out.writeLong(
          metrics.collectAllMetrics().stream()
              .mapToLong(m -> m.getData().getPoints().size())
              .sum());
      out.writeLong(commits());
      out.writeLong(consumer.health().assignedPartitions());
      out.flush();
    }
  }

  private static long heapInUse() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** As the Kafka client counts them by itself. */
  private static long commits() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    double sum = 0;
    for (ObjectName name :
        beans.queryNames(
            new ObjectName("kafka.consumer:type=consumer-coordinator-metrics,client-id=*"), null)) {
      sum += ((Number) beans.getAttribute(name, "commit-total")).doubleValue();
    }
    return Math.round(sum);
  }
}
