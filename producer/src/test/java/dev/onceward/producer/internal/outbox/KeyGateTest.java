package dev.onceward.producer.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyGateTest {

  private final KeyGate gate = new KeyGate();

  @Test
  void oneRowOfAKeyIsOutAtATimeInTheirOrder() {
    Row first = row("topic", "a", 1);
    Row second = row("topic", "a", 2);
    Row third = row("topic", "a", 3);
    assertThat(gate.enter(first)).isTrue();
    assertThat(gate.enter(second)).isFalse();
    assertThat(gate.enter(third)).isFalse();
    assertThat(gate.leave(second)).as("not its turn").isNull();
    assertThat(gate.leave(first)).isSameAs(second);
    assertThat(gate.leave(second)).isSameAs(third);
    assertThat(gate.leave(third)).isNull();
    assertThat(gate.enter(row("topic", "a", 4))).isTrue();
  }

  @Test
  void otherKeysOtherTopicsAndRowsWithoutAKeyAreNotHeld() {
    assertThat(gate.enter(row("topic", "a", 1))).isTrue();
    assertThat(gate.enter(row("topic", "b", 2))).isTrue();
    assertThat(gate.enter(row("other", "a", 3))).isTrue();
    Row keyless = row("topic", null, 4);
    assertThat(gate.enter(keyless)).isTrue();
    assertThat(gate.enter(row("topic", null, 5))).isTrue();
    assertThat(gate.leave(keyless)).isNull();
    assertThat(gate.close(keyless)).isEmpty();
  }

  @Test
  void aLineThatIsClosedGivesUpAllThatWaitBehindItsFirst() {
    Row first = row("topic", "a", 1);
    Row second = row("topic", "a", 2);
    Row third = row("topic", "a", 3);
    assertThat(gate.enter(first)).isTrue();
    assertThat(gate.enter(second)).isFalse();
    assertThat(gate.enter(third)).isFalse();
    assertThat(gate.close(first)).containsExactly(second, third);
    assertThat(gate.enter(row("topic", "a", 4))).isTrue();
  }

  @Test
  void rowsThatAreRemovedLeaveTheOthersInOrder() {
    Row first = row("topic", "a", 1);
    Row second = row("topic", "a", 2);
    Row third = row("topic", "a", 3);
    assertThat(gate.enter(first)).isTrue();
    assertThat(gate.enter(second)).isFalse();
    assertThat(gate.enter(third)).isFalse();
    gate.remove(row -> row == second);
    assertThat(gate.leave(first)).isSameAs(third);
  }

  private static Row row(String topic, @Nullable String key, long seq) {
    return new Row(
        0,
        seq,
        "id-" + seq,
        topic,
        key == null ? null : key.getBytes(StandardCharsets.UTF_8),
        1,
        null);
  }
}
