package dev.onceward.envelope.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Finding;
import dev.onceward.envelope.TopicUse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replicas, which one broker cannot show. */
class TopicChecksTest {

  private static List<Finding> findings(int replicas, int minInsync) {
    Node node = new Node(1, "127.0.0.1", 9092);
    List<Node> nodes = Collections.nCopies(replicas, node);
    List<TopicPartitionInfo> partitions =
        List.of(
            new TopicPartitionInfo(0, node, nodes, nodes),
            new TopicPartitionInfo(1, node, nodes, nodes));
    Config config =
        new Config(
            List.of(
                new ConfigEntry("min.insync.replicas", Integer.toString(minInsync)),
                new ConfigEntry("cleanup.policy", "delete"),
                new ConfigEntry("retention.ms", "604800000")));
    List<Finding> findings = new ArrayList<>();
    TopicState state = new TopicState(new TopicDescription("t", false, partitions), config);
    new TopicChecks(TopicUse.events("t"), state, null, findings).run();
    return findings;
  }

  @ParameterizedTest
  @CsvSource({
    "3, 1, WARNING t: min.insync.replicas=1 acknowledges what a single broker has",
    "3, 3, 'WARNING t: min.insync.replicas=3 needs all 3 replicas'",
    "2, 2, 'WARNING t: min.insync.replicas=2 needs all 2 replicas'",
    "2, 3, 'ERROR t: min.insync.replicas=3 is more than its 2 replica(s)'",
    "1, 1, 'WARNING t: it has one replica'"
  })
  void replicasThatDoNotHoldWhatIsWrittenAreNamed(int replicas, int minInsync, String finding) {
    assertThat(findings(replicas, minInsync)).singleElement().asString().startsWith(finding);
  }

  @ParameterizedTest
  @CsvSource({"3, 2", "5, 3", "2, 1"})
  void replicasThatDoAreNotReported(int replicas, int minInsync) {
    assertThat(findings(replicas, minInsync)).isEmpty();
  }
}
