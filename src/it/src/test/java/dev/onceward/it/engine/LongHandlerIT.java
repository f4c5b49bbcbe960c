package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A handler that takes longer than the group allows between two polls. */
@EngineTest
class LongHandlerIT {

  private static final int MAX_POLL_INTERVAL_MILLIS = 3_000;

  private final Scene scene;

  LongHandlerIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void neitherCostsTheMembershipNorIsRedelivered(GroupProtocol protocol) throws Exception {
    String topic = scene.topic(2);
    scene.publisher().publish(topic, Scene.note("slow", "slow", "slow"));
    String clientId = "long-" + scene.group();
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MILLIS);
    properties.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    Journal journal = new Journal();
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                properties,
                Scene.notes(
                    topic,
                    journal.of(
                        "only",
                        (note, delivery) -> {
                          if (note.text().equals("slow")) {
                            Thread.sleep(3L * MAX_POLL_INTERVAL_MILLIS);
                          }
                        }))));
    eventually().until(() -> journal.running() == 1);
    scene.awaitMembers(1);
    Set<String> members = members();
    double rebalances = rebalances(clientId);

    int others = 0;
    while (journal.running() == 1) {
      String id = "other-" + others++;
      scene.publisher().publish(topic, Scene.note(id, id));
      int handled = others;
      eventually().until(() -> consumer.counts().applied() >= handled);
    }
    int records = others + 1;
    eventually().until(() -> scene.committedInAll() == records);

    assertThat(others).as("events of other keys meanwhile").isGreaterThan(10);
    journal.assertEachHandledOnce(records);
    assertThat(members()).isEqualTo(members);
    assertThat(rebalances(clientId)).isEqualTo(rebalances);
    assertThat(consumer.health().failure()).isEmpty();
    assertThat(consumer.health().problems()).isEmpty();
    assertThat(consumer.health().sinceLastPoll())
        .isLessThan(Duration.ofMillis(MAX_POLL_INTERVAL_MILLIS));
  }

  /** Id and, where the protocol has one, epoch of each member: a rejoin changes both. */
  private Set<String> members() {
    return scene.describe().members().stream()
        .map(LongHandlerIT::describe)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String describe(MemberDescription member) {
    return member.consumerId() + " epoch " + member.memberEpoch() + " " + member.assignment();
  }

  /** How often the client has gone through a rebalance, by its own count. */
  private static double rebalances(String clientId) throws JMException {
    return (double)
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName(
                    "kafka.consumer:type=consumer-coordinator-metrics,client-id=" + clientId),
                "rebalance-total");
  }
}
