package dev.onceward.producer.internal.outbox;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventHeaders;
import dev.onceward.envelope.EventPolicyException;
import dev.onceward.producer.internal.EventRecords;
import dev.onceward.producer.outbox.OutboxRefusedException;
import dev.onceward.tracing.EventTracing.CreateSpan;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Checks events and makes them ready for the wire. Thread-safe. */
public final class Drafts {
  private final EventRecords<CreateSpan> records;
  private final int maxRecordBytes;

  public Drafts(EventRecords<CreateSpan> records, int maxRecordBytes) {
    this.records = records;
    this.maxRecordBytes = maxRecordBytes;
  }

  /**
   * The drafts of events, in their order.
   *
   * @throws OutboxRefusedException when one is refused; the spans of all are ended then
   */
  public List<Draft> of(String topic, List<Event> events) {
    List<Draft> made = new ArrayList<>(events.size());
    try {
      for (Event event : events) {
        made.add(of(topic, event));
      }
      return made;
    } catch (RuntimeException e) {
      made.forEach(draft -> draft.span().failed(e));
      throw e;
    }
  }

  private Draft of(String topic, Event event) {
    String illegal = EventRecords.problemOf(topic);
    if (illegal != null) {
      throw refused(topic, event, illegal, null);
    }
    EventRecords.Outgoing<CreateSpan> outgoing;
    try {
      outgoing = records.write(topic, event);
    } catch (EventPolicyException | IllegalArgumentException e) {
      throw refused(topic, event, EventRecords.reason(e), e);
    }
    ProducerRecord<byte[], byte[]> record = outgoing.record();
    long size = WireSize.of(record);
    if (size > maxRecordBytes) {
      OutboxRefusedException refused = refused(topic, event, tooLarge(size), null);
      outgoing.span().failed(refused);
      throw refused;
    }
    return new Draft(
        Buckets.of(record.key(), event.getId()),
        event.getId(),
        topic,
        record.key(),
        outgoing.span().traceparent(),
        HeaderBytes.write(record.headers(), EventHeaders.TRACEPARENT),
        record.value(),
        outgoing.span());
  }

  private String tooLarge(long size) {
    return "its record has up to "
        + size
        + " bytes, over the limit of "
        + maxRecordBytes
        + ": store large data elsewhere and send a reference to it, or raise maxRecordBytes of the"
        + " outbox together with the relay's max.request.size and the topic's max.message.bytes";
  }

  private static OutboxRefusedException refused(
      String topic, Event event, String reason, @Nullable RuntimeException cause) {
    return new OutboxRefusedException(topic, event.getId(), event.getType(), reason, cause);
  }
}
