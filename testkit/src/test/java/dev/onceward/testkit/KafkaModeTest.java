package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaModeTest {

  @ParameterizedTest
  @CsvSource({
    "auto, EMBEDDED",
    "'', EMBEDDED",
    "embedded, EMBEDDED",
    "Child, CHILD",
    " testcontainers, TESTCONTAINERS"
  })
  void theSwitchNamesAMode(String value, KafkaMode mode) {
    assertThat(KafkaMode.of(value)).isEqualTo(mode);
  }

  @Test
  void aWrongSwitchIsRefusedWithTheRightValues() {
    assertThatThrownBy(() -> KafkaMode.of("docker"))
        .isInstanceOf(TestkitException.class)
        .hasMessage(
            "-Donceward.kafka=docker is not a broker mode: use auto, embedded, child,"
                + " testcontainers");
  }
}
