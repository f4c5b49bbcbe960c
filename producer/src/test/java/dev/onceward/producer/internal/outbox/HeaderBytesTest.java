package dev.onceward.producer.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;

class HeaderBytesTest {

  @Test
  void headersComeBackInTheirOrderWithRepeatedNamesAndNullValues() {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      List<Header> headers = new ArrayList<>();
      int count = random.nextInt(200);
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[random.nextInt(300)];
        random.nextBytes(value);
        headers.add(
            new RecordHeader("näme-" + random.nextInt(5), random.nextInt(4) == 0 ? null : value));
      }
      assertThat(HeaderBytes.read(HeaderBytes.write(headers, "traceparent"))).isEqualTo(headers);
    }
  }

  @Test
  void theHeaderWithAColumnOfItsOwnIsLeftOut() {
    List<Header> headers =
        List.of(new RecordHeader("a", new byte[0]), new RecordHeader("traceparent", new byte[55]));
    assertThat(HeaderBytes.read(HeaderBytes.write(headers, "traceparent")))
        .containsExactly(headers.get(0));
  }

  @Test
  void anythingElseIsRefusedAndNothingIsMadeUp() {
    byte[] good =
        HeaderBytes.write(List.of(new RecordHeader("name", new byte[] {1, 2, 3})), "traceparent");
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> HeaderBytes.read(cut)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> HeaderBytes.read(Arrays.copyOf(good, good.length + 1)))
        .hasMessageContaining("behind the last header");
    assertThatThrownBy(() -> HeaderBytes.read(new byte[] {2, 0})).hasMessageContaining("version 2");
    Random random = new Random(2);
    for (int round = 0; round < 10_000; round++) {
      byte[] noise = new byte[1 + random.nextInt(40)];
      random.nextBytes(noise);
      noise[0] = 1;
      try {
        assertThat(HeaderBytes.read(noise)).isNotNull();
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageNotContainingAny("null");
      }
    }
  }
}
