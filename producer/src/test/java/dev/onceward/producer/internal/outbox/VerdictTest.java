package dev.onceward.producer.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.producer.internal.outbox.Verdict.Kind;
import dev.onceward.producer.outbox.DeadReason;
import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class VerdictTest {

  @Test
  void onlyWhatNoRetryCanMendIsDead() {
    assertThat(Verdict.of(new RecordTooLargeException()).reason()).isEqualTo(DeadReason.TOO_LARGE);
    assertThat(Verdict.of(new InvalidRecordException("key is missing")).reason())
        .isEqualTo(DeadReason.INVALID_RECORD);
    assertThat(Verdict.of(new TopicAuthorizationException(Set.of("t"))).reason())
        .isEqualTo(DeadReason.NOT_AUTHORIZED);
    assertThat(Verdict.of(new TimeoutException("Expiring 1 record(s)")).kind())
        .isEqualTo(Kind.AGAIN);
    assertThat(Verdict.of(new NotEnoughReplicasException("2")).kind()).isEqualTo(Kind.AGAIN);
    assertThat(Verdict.of(new OutOfOrderSequenceException("x")).kind()).isEqualTo(Kind.AGAIN);
    assertThat(Verdict.of(new SaslAuthenticationException("x")).kind()).isEqualTo(Kind.AGAIN);
    assertThat(Verdict.of(null).kind()).as("an error that must not be shown").isEqualTo(Kind.AGAIN);
  }

  @Test
  void aMissingTopicAndADeadProducerAreToldApart() {
    assertThat(
            Verdict.of(new TimeoutException("x", new UnknownTopicOrPartitionException("y"))).kind())
        .isEqualTo(Kind.NO_TOPIC);
    assertThat(Verdict.of(new KafkaException("in an error state")).kind())
        .isEqualTo(Kind.NO_PRODUCER);
    assertThat(Verdict.of(new ClusterAuthorizationException("x")).kind())
        .isEqualTo(Kind.NO_PRODUCER);
  }
}
