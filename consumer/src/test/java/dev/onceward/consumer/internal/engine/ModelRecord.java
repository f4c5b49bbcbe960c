package dev.onceward.consumer.internal.engine;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A record of a {@link ModelGroup}, and what has really become of it. */
final class ModelRecord {

  /** What its handler does. */
  enum Kind {
    GOOD,
    FAILS_TWICE,
    ALWAYS_FAILS,
    KILLS_ITS_PROCESS
  }

  final TopicPartition id;
  final long offset;
  final String key;
  final int leaderEpoch;
  final Kind kind;

  /** Its handler has returned, or its dead letter is safe. */
  boolean finished;

  /** The log was cut off below it. */
  boolean cutOff;

  /** An owner has taken it for one that kills its process, and does not try it again. */
  boolean convicted;

  /** How often it failed without killing anyone. */
  int failures;

  /** Ownerships that ended uncleanly while it was named as started. */
  int namedDeaths;

  /** Those of them in which it was named as alone. */
  int namedAloneDeaths;

  ModelRecord(TopicPartition id, long offset, String key, int leaderEpoch, Kind kind) {
    this.id = id;
    this.offset = offset;
    this.key = key;
    this.leaderEpoch = leaderEpoch;
    this.kind = kind;
  }

  boolean kills() {
    return kind == Kind.KILLS_ITS_PROCESS;
  }

  boolean failsNow() {
    return kind == Kind.ALWAYS_FAILS || (kind == Kind.FAILS_TWICE && failures < 2);
  }

  ConsumerRecord<byte[], byte[]> toRecord() {
    byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
    byte[] value = {1};
    return new ConsumerRecord<>(
        id.topic(),
        id.partition(),
        offset,
        0L,
        TimestampType.CREATE_TIME,
        keyBytes.length,
        value.length,
        keyBytes,
        value,
        new RecordHeaders(),
        Optional.of(leaderEpoch));
  }

  @Override
  public String toString() {
    return kind + " " + id + "@" + offset + "/" + leaderEpoch + " key " + key;
  }
}
