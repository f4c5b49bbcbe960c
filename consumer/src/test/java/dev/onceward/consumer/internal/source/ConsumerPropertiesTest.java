package dev.onceward.consumer.internal.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

class ConsumerPropertiesTest {

  private final Map<String, Object> user =
      new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:9092"));
  private final List<String> problems = new ArrayList<>();

  @Test
  void plainPropertiesAreTakenAndCompleted() {
    user.put("fetch.min.bytes", 10);
    Map<String, Object> consumer = properties().forConsumer(10_000);
    assertThat(problems).isEmpty();
    assertThat(consumer)
        .containsEntry("fetch.min.bytes", 10)
        .containsEntry("group.id", "billing")
        .containsEntry("enable.auto.commit", false)
        .containsEntry("auto.offset.reset", "earliest")
        .containsEntry("key.deserializer", ByteArrayDeserializer.class);
  }

  @Test
  void theUsersOffsetResetIsKept() {
    user.put("auto.offset.reset", "none");
    assertThat(properties().forConsumer(10_000)).containsEntry("auto.offset.reset", "none");
  }

  @Test
  void aPollBringsNoMoreThanATwentiethOfWhatMayBeInFlight() {
    assertThat(properties().forConsumer(10_000)).containsEntry("max.poll.records", 500);
    assertThat(properties().forConsumer(400)).containsEntry("max.poll.records", 20);
    assertThat(properties().forConsumer(1)).containsEntry("max.poll.records", 1);
    user.put("max.poll.records", "7");
    assertThat(properties().forConsumer(10_000)).containsEntry("max.poll.records", 7);
    user.put("max.poll.records", "many");
    properties();
    assertThat(problems).singleElement().asString().contains("max.poll.records=many");
  }

  @Test
  void eachContradictionIsNamedWithItsFix() {
    user.remove("bootstrap.servers");
    user.put("enable.auto.commit", "true");
    user.put("group.id", "other");
    user.put("value.deserializer", StringDeserializer.class);
    properties();
    assertThat(problems).hasSize(4);
    assertThat(problems.get(0)).contains("bootstrap.servers");
    assertThat(problems.get(1)).contains("enable.auto.commit", "remove it");
    assertThat(problems.get(2)).contains("group.id=other", "billing");
    assertThat(problems.get(3)).contains("value.deserializer", "remove it");
  }

  @Test
  void valuesOfPropertiesThatMayBeSecretAreNeverRepeated() {
    user.put("sasl.jaas.config", "password=hunter2");
    user.put("value.deserializer", "hunter2");
    properties();
    assertThat(problems).noneMatch(line -> line.contains("hunter2"));
  }

  @Test
  void otherClientsGetWhatTheyShareAndNotWhatIsTheConsumers() {
    user.put("security.protocol", "SASL_PLAINTEXT");
    user.put("max.poll.records", 10);
    user.put("interceptor.classes", "com.acme.ConsumerSide");
    user.put("custom.plugin.key", "x");
    Map<String, Object> producer = properties().forProducer();
    assertThat(producer)
        .containsEntry("security.protocol", "SASL_PLAINTEXT")
        .containsEntry("custom.plugin.key", "x")
        .containsEntry("compression.type", "gzip")
        .doesNotContainKeys("max.poll.records", "interceptor.classes", "group.id");
    assertThat(properties().forAdmin(Duration.ofSeconds(3)))
        .containsEntry("default.api.timeout.ms", 3_000)
        .doesNotContainKeys("max.poll.records");
  }

  @Test
  void theDrainBudgetFitsIntoThePollInterval() {
    assertThat(properties().drainBudget(null, problems)).isEqualTo(Duration.ofSeconds(10));
    user.put("max.poll.interval.ms", "3000");
    assertThat(properties().drainBudget(null, problems)).isEqualTo(Duration.ofMillis(1500));
    assertThat(problems).isEmpty();
    properties().drainBudget(Duration.ofSeconds(2), problems);
    assertThat(problems).singleElement().asString().contains("max.poll.interval.ms=3000");
  }

  private ConsumerProperties properties() {
    return ConsumerProperties.of(user, "billing", problems);
  }
}
