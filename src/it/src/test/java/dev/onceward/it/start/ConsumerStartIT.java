package dev.onceward.it.start;

import static dev.onceward.it.start.ConsumerSetup.SECRET;
import static dev.onceward.it.start.ConsumerSetup.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.ConsumerStartException;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.RawPublisher;
import dev.onceward.testkit.TestDatabase;
import dev.onceward.testkit.TestTopics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a consumer says, and leaves behind, when it cannot start. */
@OncewardTest
@Isolated("looks at all threads and clients of the JVM")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ConsumerStartIT {

  private static final String USER = "app";
  private static final String PASSWORD = "right-one-" + SECRET;

  /** On a slow machine: what closing and one more look may take. */
  private static final Duration SLACK = Duration.ofSeconds(10);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KafkaServer open;
  private final KafkaServer withPasswords =
      KafkaServer.start(KafkaSettings.builder().saslPlain(USER, PASSWORD).build());
  private final PostgresServer postgres;
  private final DataSource database;
  private final String existing;

  ConsumerStartIT(KafkaServer kafka, PostgresServer postgres, TestDatabase database) {
    this.open = kafka;
    this.postgres = postgres;
    this.database = database.dataSource();
    this.existing = TestTopics.on(kafka).create("existing", 1);
  }

  @BeforeAll
  void createInbox() {
    JdbcInbox.on(database).createSchema();
  }

  @AfterAll
  void stopBroker() {
    withPasswords.close();
  }

  Stream<StartFault> faults() {
    return Stream.of(
            BrokerFaults.ofTheAddress(postgres.port()),
            BrokerFaults.ofTopics(),
            BrokerFaults.ofCredentials(USER, PASSWORD),
            DatabaseFaults.on(postgres))
        .flatMap(faults -> faults);
  }

  static Stream<StartFault> propertyFaults() {
    return BrokerFaults.ofProperties();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aFailedStartNamesTheSettingInOneLineAndLosesNothing(StartFault wrong) throws Exception {
    KafkaServer kafka = wrong.withPasswords() ? withPasswords : open;
    TestTopics topics = TestTopics.on(kafka);
    String topic = topics.create("orders", 2);
    try (RawPublisher publisher = RawPublisher.on(kafka)) {
      publisher.publish(topic, List.of(event(topic + "-1"), event(topic + "-2")));
    }
    ConsumerSetup bad = setup(kafka, topics, topic);
    wrong.in(bad);
    Running before = Running.now();

    assertStartFails(bad, wrong.named());

    before.awaitNothingMore();
    ConsumerSetup good = setup(kafka, topics, topic);
    try (EventConsumer consumer = good.build()) {
      consumer.start();
      await().atMost(PATIENCE).until(() -> good.applied.size() >= 2);
    }
    assertThat(good.applied).containsExactlyInAnyOrder(topic + "-1", topic + "-2");
    assertThat(bad.applied).isEmpty();
    before.awaitNothingMore();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("propertyFaults")
  void aPropertyThatKafkaRefusesIsNamed(StartFault wrong) throws Exception {
    ConsumerSetup bad = setup(open, TestTopics.on(open), existing);
    wrong.in(bad);
    Running before = Running.now();

    assertStartFails(bad, wrong.named());

    before.awaitNothingMore();
  }

  private static void assertStartFails(ConsumerSetup bad, List<String> named) throws Exception {
    long begin = System.nanoTime();
    EventConsumer failing = bad.build();
    ConsumerStartException error =
        catchThrowableOfType(ConsumerStartException.class, failing::start);
    Duration took = Duration.ofNanos(System.nanoTime() - begin);

    assertThat(error).as("the start must fail").isNotNull();
    assertThat(took).isLessThan(bad.startTimeout.plus(SLACK));
    assertThat(error.getMessage())
        .contains(named)
        .doesNotContainPattern("\\R")
        .doesNotContain("Exception")
        .hasSizeLessThan(700);
    assertThat(printed(error)).doesNotContain(SECRET);
    failing.close();
    for (AutoCloseable resource : bad.opened) {
      resource.close();
    }
  }

  @Test
  void aConsumerThatFailedToStartCanNotBeStartedAgain() {
    TestTopics topics = TestTopics.on(open);
    ConsumerSetup setup = setup(open, topics, topics.name("missing"));
    EventConsumer consumer = setup.build();
    assertThatThrownBy(consumer::start).isInstanceOf(ConsumerStartException.class);

    assertThatThrownBy(consumer::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("build a new one");
    assertThatThrownBy(consumer::awaitStop).isInstanceOf(IllegalStateException.class);
    consumer.stop();
    consumer.close();
    consumer.close();
  }

  @Test
  void anInterruptEndsTheStartAndIsKept() throws InterruptedException {
    TestTopics topics = TestTopics.on(open);
    ConsumerSetup setup = setup(open, topics, topics.name("orders"));
    setup.kafka("bootstrap.servers", "127.0.0.1:" + Ports.closed());
    setup.startTimeout = Duration.ofSeconds(60);
    Running before = Running.now();
    boolean[] kept = new boolean[1];
    Throwable[] failure = new Throwable[1];
    Thread starting =
        new Thread(
            () -> {
              try {
                setup.build().start();
              } catch (ConsumerStartException e) {
                failure[0] = e;
                kept[0] = Thread.currentThread().isInterrupted();
              }
            });
    starting.start();

    await().atMost(PATIENCE).until(() -> starting.getState() == Thread.State.TIMED_WAITING);
    starting.interrupt();
    starting.join(PATIENCE.toMillis());

    assertThat(failure[0]).hasMessageContaining("interrupted");
    assertThat(kept[0]).isTrue();
    before.awaitNothingMore();
  }

  private ConsumerSetup setup(KafkaServer kafka, TestTopics topics, String topic) {
    return new ConsumerSetup(kafka.clientProperties(), topic, topics.group("billing"), database);
  }

  private static String printed(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
