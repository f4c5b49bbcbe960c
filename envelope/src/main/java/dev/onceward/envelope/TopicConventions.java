package dev.onceward.envelope;

import dev.onceward.envelope.internal.StandardTopicConventions;
import dev.onceward.envelope.internal.TopicVerifier;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;

/** The names of topics; replace it to use your own. Implementations are thread-safe. */
public interface TopicConventions {

  /** The names below. */
  static TopicConventions standard() {
    return StandardTopicConventions.INSTANCE;
  }

  /**
   * {@code <domain>.<entity>.events}.
   *
   * @throws IllegalArgumentException when that is no legal topic name
   */
  String eventsTopic(String domain, String entity);

  /**
   * {@code <topic>.<group>.dlq}.
   *
   * @throws IllegalArgumentException when that is no legal topic name (at most 249 characters of
   *     ASCII letters, digits, {@code .}, {@code _} and {@code -}); the message names the fix
   */
  String deadLetterTopic(String topic, String group);

  /**
   * Checks that the topics exist, and that their partitions, retention, cleanup policy, largest
   * message, replicas and {@code min.insync.replicas} make sense for their use.
   *
   * @param admin is used and not closed
   * @param timeout for each of the two requests
   * @return one finding for each thing that is wrong, in the order of {@code uses}; a topic that
   *     cannot be checked (unreachable broker, missing rights) is a finding, not an exception
   */
  static List<Finding> verify(Admin admin, Collection<TopicUse> uses, Duration timeout) {
    return new TopicVerifier(admin, timeout).verify(uses);
  }
}
