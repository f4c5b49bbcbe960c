package dev.onceward.it.guarantee;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.AppConfiguration;
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
    AppConfiguration configuration = AppConfiguration.read();
    InMemoryMetricReader metrics = InMemoryMetricReader.create();
    try (OpenTelemetrySdk telemetry =
            OpenTelemetrySdk.builder()
                .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
                .build();
        EventConsumer consumer =
            EventConsumer.builder(configuration.kafka())
                .group(configuration.get("group"))
                .handlers(Scene.notes(configuration.get("topic"), (note, delivery) -> {}))
                .commitInterval(Duration.ofMillis(1))
                .tracing(EventTracing.builder().openTelemetry(telemetry).build())
                .build()) {
      consumer.start();
      int port = (int) configuration.number("port");
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
