package dev.onceward.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicConventionsTest {
  private static final TopicConventions NAMES = TopicConventions.standard();

  @Test
  void topicsAreNamedByTheHouse() {
    assertThat(NAMES.eventsTopic("orders", "order")).isEqualTo("orders.order.events");
    assertThat(NAMES.deadLetterTopic("orders.order.events", "billing"))
        .isEqualTo("orders.order.events.billing.dlq");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "my group", "group:1", "größe", "a/b"})
  void aGroupThatCannotBePartOfATopicNameIsNamedWithTheFix(String group) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NAMES.deadLetterTopic("orders", group))
        .withMessageContainingAll("group '" + group + "'", "TopicConventions");
  }

  @Test
  void aNameThatIsTooLongIsRefusedAndTheLongestIsNot() {
    String topic = "t".repeat(240);
    assertThat(NAMES.deadLetterTopic(topic, "grou")).hasSize(249);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NAMES.deadLetterTopic(topic, "group"))
        .withMessageContainingAll("250 characters", "allows 249", "shorten the group id");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NAMES.eventsTopic("d".repeat(240), "entity"))
        .withMessageContaining("shorten the domain or the entity");
  }

  @Test
  void aUseOfATopicIsChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TopicUse.events("t").withMinPartitions(0))
        .withMessageContaining("minPartitions must be at least 1");
    assertThat(TopicUse.latestState("t").withMinRetention(Duration.ofDays(3)).minRetention())
        .isEqualTo(Duration.ofDays(3));
  }
}
