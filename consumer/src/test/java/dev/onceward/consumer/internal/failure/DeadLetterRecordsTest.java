package dev.onceward.consumer.internal.failure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.DeadLetterReason;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class DeadLetterRecordsTest {

  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("2026-01-01T00:00:05Z");
  private static final byte[] KEY = {0, 1, (byte) 255};
  private static final byte[] VALUE = {(byte) 0xC3, 0x28};

  private final RecordHeaders original = new RecordHeaders();

  @Test
  void keyValueHeadersAndTimestampStayAsTheyWere() {
    original.add("traceparent", "00-aa".getBytes(UTF_8));
    original.add("null-header", null);
    original.add("twice", new byte[] {1});
    original.add("twice", new byte[] {2});
    ProducerRecord<byte[], byte[]> letter = letter(new IllegalStateException("boom"), 3);
    assertThat(letter.key()).isEqualTo(KEY);
    assertThat(letter.value()).isEqualTo(VALUE);
    assertThat(letter.timestamp()).isEqualTo(1234L);
    Header[] headers = letter.headers().toArray();
    assertThat(headers[0].value()).isEqualTo("00-aa".getBytes(UTF_8));
    assertThat(headers[1].value()).isNull();
    assertThat(letter.headers().headers("twice")).hasSize(2);
  }

  @Test
  void theFailureIsDescribedUnderTheNamesOfKip1191AndOurs() {
    Map<String, String> added = text(letter(new IllegalStateException("boom"), 3).headers());
    assertThat(added)
        .containsEntry("__dlq.errors.topic", "orders")
        .containsEntry("__dlq.errors.partition", "4")
        .containsEntry("__dlq.errors.offset", "77")
        .containsEntry("__dlq.errors.group", "billing")
        .containsEntry("__dlq.errors.delivery.count", "3")
        .containsEntry("__dlq.errors.message", "boom")
        .containsEntry("dlq_reason", "ATTEMPTS_EXHAUSTED")
        .containsEntry("dlq_exception", "java.lang.IllegalStateException")
        .containsEntry("dlq_first_failure", FIRST.toString())
        .containsEntry("dlq_last_failure", LAST.toString())
        .containsEntry("dlq_handler", "billing-handler");
    assertThat(added.get("dlq_fingerprint")).matches("[0-9a-f]{16}");
    assertThat(added.get("dlq_stacktrace")).startsWith("java.lang.IllegalStateException: boom");
  }

  @Test
  void headersOfAnEarlierDeadLetterAreReplaced() {
    original.add("__dlq.errors.offset", "1".getBytes(UTF_8));
    original.add("dlq_reason", "OLD".getBytes(UTF_8));
    original.add("dlq_note_of_a_tool", "x".getBytes(UTF_8));
    Headers headers = letter(new IllegalStateException("boom"), 1).headers();
    assertThat(headers.headers("__dlq.errors.offset")).hasSize(1);
    assertThat(headers.headers("dlq_reason")).hasSize(1);
    assertThat(headers.lastHeader("dlq_note_of_a_tool")).isNull();
  }

  @Test
  void whatIsAddedIsBoundedHoweverLongTheFailureTalks() {
    Throwable deep = new IllegalStateException("é".repeat(100_000));
    for (int i = 0; i < 50; i++) {
      deep = new RuntimeException("wrapped " + "x".repeat(1_000), deep);
    }
    int added = 0;
    for (Header header : letter(deep, 1).headers()) {
      added += header.key().length() + header.value().length;
      if (header.key().equals("dlq_stacktrace")) {
        assertThat(header.value().length).isBetween(4_000, 4_096);
      }
    }
    assertThat(added).isLessThanOrEqualTo(8_192);
  }

  @Test
  void textIsCutBetweenCharactersNotInsideThem() {
    assertThat(new String(ErrorText.utf8("aé", 2), UTF_8)).isEqualTo("a");
    assertThat(new String(ErrorText.utf8("ab€", 4), UTF_8)).isEqualTo("ab");
    assertThat(new String(ErrorText.utf8("lone \uD800 half", 100), UTF_8)).isEqualTo("lone ? half");
  }

  @Test
  void theFingerprintIsOfThePlaceNotOfTheData() {
    String one = ErrorText.fingerprint(failing("order 1"));
    String two = ErrorText.fingerprint(failing("order 2"));
    assertThat(one).isEqualTo(two);
    assertThat(ErrorText.fingerprint(new IllegalStateException("elsewhere"))).isNotEqualTo(one);
  }

  @Test
  void aCauseThatIsItsOwnCauseEnds() {
    Exception a = new Exception("a");
    Exception b = new Exception("b", a);
    a.initCause(b);
    assertThat(ErrorText.stack(a)).contains("a", "b");
  }

  private static Throwable failing(String data) {
    return new IllegalArgumentException(data);
  }

  private ProducerRecord<byte[], byte[]> letter(Throwable error, int attempt) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "orders",
            4,
            77L,
            1234L,
            TimestampType.CREATE_TIME,
            KEY.length,
            VALUE.length,
            KEY,
            VALUE,
            original,
            Optional.empty());
    RecordDelivery.Source source =
        new RecordDelivery.Source(
            "billing",
            r -> {
              throw new IllegalStateException("a dead letter is made without reading the event");
            },
            (topic, type) -> "billing-handler");
    FailedDelivery failed =
        new FailedDelivery(
            new RecordDelivery(
                record,
                source,
                attempt,
                new HandlerLease(record, LeasePolicy.standard(), System::nanoTime)),
            DeadLetterReason.ATTEMPTS_EXHAUSTED,
            error,
            FIRST,
            LAST);
    return DeadLetterRecords.of(failed, "billing-handler", "orders.billing.dlq", null);
  }

  private static Map<String, String> text(Headers headers) {
    Map<String, String> text = new HashMap<>();
    headers.forEach(header -> text.put(header.key(), new String(header.value(), UTF_8)));
    return text;
  }
}
