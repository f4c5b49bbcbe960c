package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@OncewardTest
class RedeliveryTest {

  @Test
  void anEventIsPublishedAsOftenAsTold(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 3);
    Event event = Events.of("order-1", 1);
    try (RawPublisher publisher = RawPublisher.on(kafka)) {
      assertThat(Redelivery.times(3).publish(publisher, topic, event)).hasSize(3);
    }
    assertThat(RecordCollector.on(kafka).readAll(topic))
        .map(record -> EventReader.standard().read(record).getId())
        .containsExactly("order-1-1", "order-1-1", "order-1-1");
  }

  @Test
  void shuffledVersionsArriveInTheShuffledOrder(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 3);
    List<Event> shuffled = VersionShuffle.random().shuffled(Events.versions("order-1", 6));
    try (RawPublisher publisher = RawPublisher.on(kafka)) {
      publisher.publish(topic, shuffled);
    }
    assertThat(RecordCollector.on(kafka).readAll(topic))
        .map(record -> EventReader.standard().read(record).getId())
        .isEqualTo(shuffled.stream().map(Event::getId).toList());
  }

  @Test
  void aHandlerIsCalledAsOftenAsToldUnlessItFails() throws Exception {
    Event event = Events.of("order-1", 1);
    List<Event> handled = new ArrayList<>();
    Redelivery.times(3).deliver(event, handled::add);
    assertThat(handled).containsExactly(event, event, event);

    Flaky<Event> flaky = Flaky.times(1, () -> new IllegalStateException("down"));
    assertThatThrownBy(() -> Redelivery.times(3).deliver(event, flaky.wrap(handled::add)))
        .hasMessage("down");
    assertThat(flaky.calls(event)).isEqualTo(1);
  }

  @Test
  void aListIsReplayedFromTheStart() {
    List<Event> events = Events.versions("order-1", 2);
    assertThat(Redelivery.times(2).of(events))
        .containsExactly(events.get(0), events.get(1), events.get(0), events.get(1));
    assertThatThrownBy(() -> Redelivery.times(0)).hasMessageContaining("0 times");
  }

  @Test
  void aRecordTheBrokerRefusesIsNamed(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1, java.util.Map.of("max.message.bytes", "1000"));
    try (RawPublisher publisher = RawPublisher.on(kafka)) {
      ProducerRecord<byte[], byte[]> small = new ProducerRecord<>(topic, new byte[10]);
      ProducerRecord<byte[], byte[]> large = new ProducerRecord<>(topic, new byte[5000]);
      publisher.send(small);
      assertThatThrownBy(() -> publisher.send(large))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("record 1 of 1 was not taken by topic '" + topic + "'");
    }
  }
}
