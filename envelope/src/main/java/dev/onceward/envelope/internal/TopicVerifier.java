package dev.onceward.envelope.internal;

import dev.onceward.envelope.Finding;
import dev.onceward.envelope.Finding.Severity;
import dev.onceward.envelope.TopicUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks the broker about topics and checks what it says. */
public final class TopicVerifier {
  private final Admin admin;
  private final int timeoutMillis;

  public TopicVerifier(Admin admin, Duration timeout) {
    this.admin = admin;
    this.timeoutMillis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis()));
  }

  public List<Finding> verify(Collection<TopicUse> uses) {
    Set<String> names = new LinkedHashSet<>();
    for (TopicUse use : uses) {
      names.add(use.topic());
      if (use.source() != null) {
        names.add(use.source());
      }
    }
    Map<String, String> failures = new HashMap<>();
    Map<String, TopicState> states = states(names, failures);
    List<Finding> findings = new ArrayList<>();
    for (TopicUse use : uses) {
      TopicState state = states.get(use.topic());
      if (state == null) {
        String problem = failures.getOrDefault(use.topic(), "the broker says nothing about it");
        findings.add(new Finding(use.topic(), problem, Severity.ERROR));
      } else {
        TopicState source = use.source() == null ? null : states.get(use.source());
        new TopicChecks(use, state, source, findings).run();
      }
    }
    return List.copyOf(findings);
  }

  private Map<String, TopicState> states(Set<String> names, Map<String, String> failures) {
    Map<String, KafkaFuture<TopicDescription>> descriptions =
        admin
            .describeTopics(names, new DescribeTopicsOptions().timeoutMs(timeoutMillis))
            .topicNameValues();
    Map<String, TopicDescription> found = new HashMap<>();
    descriptions.forEach((name, answer) -> take(name, answer, found, failures));

    Map<String, ConfigResource> resources =
        found.keySet().stream()
            .collect(
                Collectors.toMap(
                    name -> name, name -> new ConfigResource(ConfigResource.Type.TOPIC, name)));
    Map<ConfigResource, KafkaFuture<Config>> answers =
        admin
            .describeConfigs(
                resources.values(), new DescribeConfigsOptions().timeoutMs(timeoutMillis))
            .values();
    Map<String, Config> configs = new HashMap<>();
    answers.forEach((resource, answer) -> take(resource.name(), answer, configs, failures));

    Map<String, TopicState> states = new HashMap<>();
    configs.forEach(
        (name, config) -> {
          TopicDescription description = found.get(name);
          if (description != null) {
            states.put(name, new TopicState(description, config));
          }
        });
    return states;
  }

  private static <T> void take(
      String name, KafkaFuture<T> answer, Map<String, T> values, Map<String, String> failures) {
    try {
      values.put(name, answer.get());
    } catch (ExecutionException failed) {
      failures.put(name, explain(Objects.requireNonNullElse(failed.getCause(), failed)));
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new InterruptException("Interrupted while verifying topics", stop);
    }
  }

  private static String explain(Throwable failure) {
    if (failure instanceof UnknownTopicOrPartitionException) {
      return "it does not exist: create it (kafka-topics.sh --create)";
    }
    if (failure instanceof AuthorizationException) {
      return "it cannot be checked: grant the principal DESCRIBE and DESCRIBE_CONFIGS on it";
    }
    if (failure instanceof TimeoutException) {
      return "it cannot be checked: no broker answered in time; check bootstrap.servers";
    }
    return "it cannot be checked: "
        + failure.getClass().getName()
        + (failure instanceof KafkaException ? ": " + failure.getMessage() : "");
  }
}
