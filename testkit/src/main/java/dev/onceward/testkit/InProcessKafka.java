package dev.onceward.testkit;

import dev.onceward.testkit.internal.Broker;
import dev.onceward.testkit.internal.BrokerHome;
import dev.onceward.testkit.internal.CloseOnExit;
import dev.onceward.testkit.internal.ExitGuard;
import dev.onceward.testkit.internal.TopicAdmin;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker in this JVM: starts in well under a second once the JVM is warm, and shares its heap.
 *
 * <p>Its threads are no daemons: a program that is not a test ends once the broker is closed, or
 * with {@code System.exit}, which closes it.
 *
 * <p>On a fatal fault Kafka would end the JVM, and with it the test run. While such a broker has
 * been started, Kafka's exit hook instead throws on the broker's thread, logs an error, and {@link
 * #fault()} tells. That hook is one per JVM and stays. What it cannot stop is an {@code
 * OutOfMemoryError} of the shared heap; use {@link ChildKafka} where that matters.
 */
public final class InProcessKafka implements KafkaServer {
  private static final Logger log = LoggerFactory.getLogger(InProcessKafka.class);

  private final BrokerHome home;
  private final TopicAdmin admin;
  private final CloseOnExit closeOnExit;
  private volatile @Nullable String fault;
  private @Nullable Broker broker;
  private boolean closed;

  private InProcessKafka(BrokerHome home) {
    this.home = home;
    this.admin = home.topicAdmin();
    this.closeOnExit = CloseOnExit.of("in-process-kafka", this::close);
  }

  /** Starts a broker with {@linkplain KafkaSettings#defaults() default} settings. */
  public static InProcessKafka start() {
    return start(KafkaSettings.defaults());
  }

  /**
   * Starts a broker. The heap setting has no effect.
   *
   * @throws TestkitException when it does not start
   */
  public static InProcessKafka start(KafkaSettings settings) {
    InProcessKafka kafka = new InProcessKafka(BrokerHome.prepare(settings, Map.of()));
    try {
      kafka.restart();
      return kafka;
    } catch (RuntimeException e) {
      kafka.close();
      throw e;
    }
  }

  /** Stops the broker if it runs; data and ports stay for {@link #restart()}. */
  public synchronized void stop() {
    if (broker != null) {
      broker.close();
      broker = null;
    }
  }

  /** Stops the broker if it runs, and starts it on the same data and ports. */
  public synchronized void restart() {
    if (closed) {
      throw new TestkitException("the broker is closed");
    }
    stop();
    fault = null;
    if (!ExitGuard.install(this::faulted)) {
      log.warn("this version of Kafka may end the JVM upon a fatal broker fault");
    }
    try {
      broker = Broker.start(home.config(), Duration.ZERO);
    } catch (KafkaException | IllegalStateException | IllegalArgumentException e) {
      throw new TestkitException(
          "the broker in %s does not start: %s".formatted(home.directory(), e.getMessage()), e);
    }
  }

  private void faulted(String what) {
    log.error("{}; see the errors logged before", what);
    fault = what;
  }

  /** The fatal fault that the broker met since its last start, or null. */
  public @Nullable String fault() {
    return fault;
  }

  @Override
  public String bootstrapServers() {
    return home.bootstrapServers();
  }

  /** The port the broker itself listens on, whatever port it advertises. */
  public int port() {
    return home.ports().client();
  }

  @Override
  public Map<String, Object> clientProperties() {
    return home.clientProperties();
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
  public synchronized void close() {
    if (!closed) {
      closed = true;
      closeOnExit.cancel();
      stop();
      home.discard();
    }
  }
}
