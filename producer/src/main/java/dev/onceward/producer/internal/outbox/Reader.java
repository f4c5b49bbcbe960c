package dev.onceward.producer.internal.outbox;

import dev.onceward.envelope.EventHeaders;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** Reads rows, with the low-water mark that goes with them. Not thread-safe. */
final class Reader {

  /** Rows committed late that are read at once of a bucket. */
  static final int MAX_LATE = 200;

  /** What a row costs beside its bytes. */
  static final int ROW_OVERHEAD = 300;

  private static final String FIELDS =
      "o.bucket, o.seq, o.id, o.topic, o.key, o.traceparent, o.headers, o.payload,"
          + " octet_length(o.headers) + coalesce(octet_length(o.payload), 0) AS size";

  private final String read;
  private final LowWaterMark lowWaterMark;

  Reader(OutboxTables tables) {
    this.lowWaterMark = new LowWaterMark(tables);
    String leased =
        "WITH b AS MATERIALIZED (SELECT u.* FROM unnest(?::smallint[], ?::bigint[], ?::bigint[],"
            + " ?::int[], ?::bigint[], ?::bigint[]) AS u(bucket, floor, cursor, room, epoch,"
            + " revision) JOIN "
            + tables.lease()
            + " l ON l.shard = u.bucket % "
            + Buckets.SHARDS
            + " AND l.epoch = u.epoch AND l.revision = u.revision AND l.expires_at >"
            + " clock_timestamp()), known AS MATERIALIZED (SELECT unnest(?::bigint[]) AS seq),"
            + " closed AS MATERIALIZED (SELECT unnest(?::text[]) AS topic), held AS MATERIALIZED"
            + " (SELECT * FROM unnest(?::text[], ?::bytea[]) AS h(topic, key)) ";
    this.read =
        leased
            + part(
                "true",
                tables,
                "AND o.seq > b.floor AND o.seq <= b.cursor AND o.seq NOT IN"
                    + " (SELECT k.seq FROM known k)",
                String.valueOf(MAX_LATE))
            + " UNION ALL "
            + part("false", tables, "AND o.seq > b.cursor", "b.room")
            // which buckets were read at all: those of shards that are still ours
            + " UNION ALL SELECT NULL, b.bucket, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
            + " NULL FROM b";
  }

  /**
   * The rows of each bucket in order, up to a number and an amount of bytes. The sum runs along the
   * index, so nothing is sorted and nothing beyond the limits is fetched.
   */
  private static String part(String late, OutboxTables tables, String range, String limit) {
    return "SELECT "
        + late
        + " AS late, r.* FROM b CROSS JOIN LATERAL (SELECT * FROM (SELECT s.*, sum(s.size) OVER"
        + " (ORDER BY s.seq ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT "
        + FIELDS
        + " FROM "
        + tables.outbox()
        + " o WHERE o.bucket = b.bucket "
        + range
        + " AND o.topic NOT IN (SELECT c.topic FROM closed c) AND (o.key IS NULL OR (o.topic,"
        + " o.key) NOT IN (SELECT h.topic, h.key FROM held h)) ORDER BY o.seq LIMIT "
        + limit
        + ") s) t WHERE t.total - t.size < ? ORDER BY t.seq) r";
  }

  /** Reads what is asked for, of the shards that are still ours. */
  ReadResult read(Connection connection, ReadRequest request) throws SQLException {
    // before the rows are read, so that what is settled can be seen in them
    long settled = lowWaterMark.look(connection);
    Set<Integer> buckets = new HashSet<>();
    List<Row> late = new ArrayList<>();
    List<Row> ahead = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(read)) {
      query.setArray(1, connection.createArrayOf("int2", request.buckets()));
      query.setArray(2, connection.createArrayOf("int8", request.floors()));
      query.setArray(3, connection.createArrayOf("int8", request.cursors()));
      query.setArray(4, connection.createArrayOf("int4", request.rooms()));
      query.setArray(5, connection.createArrayOf("int8", request.epochs()));
      query.setArray(6, connection.createArrayOf("int8", request.revisions()));
      query.setArray(7, connection.createArrayOf("int8", request.known()));
      query.setArray(8, connection.createArrayOf("text", request.closedTopics().toArray()));
      query.setArray(9, connection.createArrayOf("text", request.heldTopics()));
      query.setArray(10, connection.createArrayOf("bytea", request.heldKeys()));
      query.setLong(11, request.bytes());
      query.setLong(12, request.bytes());
      try (ResultSet found = query.executeQuery()) {
        while (found.next()) {
          boolean isLate = found.getBoolean(1);
          if (found.wasNull()) {
            buckets.add(found.getInt(2));
          } else {
            (isLate ? late : ahead).add(row(found));
          }
        }
      }
    }
    return new ReadResult(settled, buckets, late, ahead);
  }

  private static Row row(ResultSet found) throws SQLException {
    int bucket = found.getInt(2);
    long seq = found.getLong(3);
    String id = found.getString(4);
    String topic = found.getString(5);
    byte @Nullable [] key = found.getBytes(6);
    String traceparent = found.getString(7);
    byte[] headers = found.getBytes(8);
    byte @Nullable [] payload = found.getBytes(9);
    int size = found.getInt(10) + ROW_OVERHEAD;
    return new Row(
        bucket, seq, id, topic, key, size, message(topic, key, payload, traceparent, headers));
  }

  /** The record as it was when it was appended; null when the headers cannot be read. */
  private static @Nullable ProducerRecord<byte[], byte[]> message(
      String topic,
      byte @Nullable [] key,
      byte @Nullable [] payload,
      String traceparent,
      byte[] headers) {
    try {
      List<Header> all = HeaderBytes.read(headers);
      all.add(
          new RecordHeader(
              EventHeaders.TRACEPARENT, traceparent.getBytes(StandardCharsets.US_ASCII)));
      return new ProducerRecord<>(topic, null, (Long) null, key, payload, all);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
