package dev.onceward.testkit;

import dev.onceward.testkit.internal.BrokerDefaults;
import dev.onceward.testkit.internal.ClientProperties;
import dev.onceward.testkit.internal.TopicAdmin;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A broker in a container, through Testcontainers. The image is {@value #DEFAULT_IMAGE} unless the
 * system property {@value #IMAGE_PROPERTY} names another. Needs a Docker engine.
 */
public final class ContainerKafka implements KafkaServer {
  /** The image of the broker unless told otherwise. */
  public static final String DEFAULT_IMAGE = "apache/kafka:4.4.0";

  /** The system property that names another image. */
  public static final String IMAGE_PROPERTY = "onceward.kafka.image";

  // KafkaContainer calls its listener for clients so.
  private static final String CLIENT_LISTENER = "PLAINTEXT";

  private final KafkaContainer container;
  private final Map<String, Object> clientProperties;
  private final TopicAdmin admin;

  private ContainerKafka(KafkaContainer container, KafkaSettings settings) {
    this.container = container;
    this.clientProperties =
        ClientProperties.of(container.getBootstrapServers(), settings.saslUser());
    this.admin = new TopicAdmin(clientProperties);
  }

  /** Starts a broker with {@linkplain KafkaSettings#defaults() default} settings. */
  public static ContainerKafka start() {
    return start(KafkaSettings.defaults());
  }

  /**
   * Starts a broker.
   *
   * @throws TestkitException when there is no Docker engine, no image, or the broker does not start
   * @throws IllegalArgumentException when the settings name a directory or an advertised port: a
   *     container has its own
   */
  public static ContainerKafka start(KafkaSettings settings) {
    if (settings.directory().isPresent() || settings.advertisedPort().isPresent()) {
      throw new IllegalArgumentException(
          "a container has no directory and advertises its own port: use ChildKafka");
    }
    String image = System.getProperty(IMAGE_PROPERTY, DEFAULT_IMAGE);
    KafkaContainer container =
        new KafkaContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("apache/kafka"));
    container.withStartupTimeout(settings.startTimeout());
    container.withEnv("KAFKA_HEAP_OPTS", "-Xmx" + settings.heapMegabytes() + "m");
    Stream.of(BrokerDefaults.properties(), settings.brokerProperties())
        .flatMap(properties -> properties.entrySet().stream())
        .forEach(property -> container.withEnv(variable(property.getKey()), property.getValue()));
    settings
        .saslUser()
        .ifPresent(
            user -> {
              container.withEnv(
                  "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP",
                  "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT," + CLIENT_LISTENER + ":SASL_PLAINTEXT");
              container.withEnv(variable(listener("sasl.enabled.mechanisms")), "PLAIN");
              container.withEnv(
                  variable(listener("plain.sasl.jaas.config")), ClientProperties.brokerJaas(user));
            });
    try {
      container.start();
    } catch (RuntimeException e) {
      container.stop();
      throw new TestkitException(
          "no broker from image %s: %s. Is the Docker engine running? (-D%s=embedded needs none)"
              .formatted(image, e.getMessage(), KafkaMode.PROPERTY),
          e);
    }
    return new ContainerKafka(container, settings);
  }

  private static String listener(String property) {
    return "listener.name." + CLIENT_LISTENER.toLowerCase(Locale.ROOT) + "." + property;
  }

  /** The image's rule: a property's environment variable. */
  private static String variable(String property) {
    return "KAFKA_"
        + property
            .replace("_", "__")
            .replace("-", "___")
            .replace(".", "_")
            .toUpperCase(Locale.ROOT);
  }

  @Override
  public String bootstrapServers() {
    return container.getBootstrapServers();
  }

  @Override
  public Map<String, Object> clientProperties() {
    return clientProperties;
  }

  @Override
  public void createTopic(String name, int partitions, Map<String, String> configs) {
    admin.create(name, partitions, configs);
  }

  @Override
  public void deleteTopic(String name) {
    admin.delete(name);
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(String topic) {
    return admin.endOffsets(topic);
  }

  @Override
  public void close() {
    container.stop();
  }
}
