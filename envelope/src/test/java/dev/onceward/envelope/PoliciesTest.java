package dev.onceward.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  private static Event event(String type, int bytes) {
    return Event.builder()
        .id("e-1")
        .source("/s")
        .type(type)
        .data(new byte[bytes], "application/octet-stream")
        .build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "com.acme.orders.placed.v1",
        "com.github.pull_request.opened.v1",
        "com.github.issues.on-demand-test.v1",
        "com.github.push.v1",
        "io.acme.v2.orders.paid.v12",
        "org.3com.x.v1"
      })
  void goodTypesPass(String type) {
    assertThat(TypeNaming.standard().problem(type)).isEmpty();
    assertThatCode(() -> TypeNaming.of(PolicyAction.REFUSE).enforce(event(type, 1)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "com.acme.orders.placed, does not end in a version",
    "com.acme.orders.placed.v0, does not end in a version",
    "com.acme.orders.placed.v1.1, does not end in a version",
    "com.acme.Orders.placed.v1, has the part 'Orders'",
    "com.acme..placed.v1, has an empty part",
    "com.acme.placed-.v1, has the part 'placed-'",
    "orders.placed.v1, has fewer than three parts",
    "OrderPlaced, has the part 'OrderPlaced'",
    "v1, has fewer than three parts"
  })
  void otherTypesAreNamedWithTheFix(String type, String problem) {
    assertThat(TypeNaming.standard().problem(type))
        .get()
        .asString()
        .contains("'" + type + "'", problem, "com.acme.orders.placed.v1");
    assertThatThrownBy(() -> TypeNaming.of(PolicyAction.REFUSE).enforce(event(type, 1)))
        .isInstanceOf(EventPolicyException.class)
        .hasMessageContaining(problem);
    assertThatCode(() -> TypeNaming.of(PolicyAction.ALLOW).enforce(event(type, 1)))
        .doesNotThrowAnyException();
  }

  @Test
  void dataUpToTheLimitPassesAndBeyondItIsRefusedWithTheFix() {
    SizePolicy policy = SizePolicy.standard();
    assertThat(policy.maxBytes()).isEqualTo(102_400);
    assertThatCode(() -> policy.enforce(event("t", 102_400))).doesNotThrowAnyException();
    assertThatCode(() -> policy.enforce(event("t", 102_400).toBuilder().noData().build()))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> policy.enforce(event("com.acme.x.v1", 102_401)))
        .isInstanceOf(EventPolicyException.class)
        .hasMessageContaining("Event e-1 (com.acme.x.v1)")
        .hasMessageContaining("102401 bytes")
        .hasMessageContaining("limit of 102400")
        .hasMessageContaining("SizePolicy.of");
  }

  @Test
  void theLimitIsYours() {
    assertThat(SizePolicy.of(10, PolicyAction.ALLOW).problem(event("t", 11))).isPresent();
    assertThatCode(() -> SizePolicy.of(10, PolicyAction.ALLOW).enforce(event("t", 11)))
        .doesNotThrowAnyException();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SizePolicy.of(0, PolicyAction.WARN))
        .withMessageContaining("at least 1");
  }

  @Test
  void aWarningIsLoggedOnceForEachType() {
    PrintStream err = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      SizePolicy policy = SizePolicy.of(1, PolicyAction.WARN);
      for (int i = 0; i < 100; i++) {
        policy.enforce(event("one", 2));
        policy.enforce(event("two", 2));
      }
    } finally {
      System.setErr(err);
    }
    assertThat(log.toString(StandardCharsets.UTF_8).lines().filter(l -> l.contains("2 bytes")))
        .hasSize(2);
  }
}
