package dev.onceward.producer.internal.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Inserts rows in the caller's transaction, with plain JDBC on the caller's connection.
 * Thread-safe.
 *
 * <p>Each insert makes sure of a transaction id <em>before</em> it draws a number from the
 * sequence. The relay's low-water mark rests on that: who has drawn a number has an id by then, so
 * once all ids up to a moment are done, so are all numbers drawn before it.
 */
public final class Append {
  private static final String COLUMNS =
      "(seq, bucket, id, topic, key, traceparent, headers, payload)";
  private static final String XID = "x AS MATERIALIZED (SELECT pg_current_xact_id() AS xid";

  private final boolean deleteAtOnce;
  private final String one;
  private final String oneSerialized;
  private final String many;
  private final String delete;

  /**
   * Appends to these tables.
   *
   * @param deleteAtOnce whether rows are deleted again, for readers of the write-ahead log
   */
  public Append(OutboxTables tables, boolean deleteAtOnce) {
    this.deleteAtOnce = deleteAtOnce;
    String insert = " INSERT INTO " + tables.outbox() + ' ' + COLUMNS;
    String next = " SELECT nextval('" + tables.sequence().replace("'", "''") + "'), ";
    String returning = deleteAtOnce ? " RETURNING seq" : "";
    String values = next + "?::smallint, ?, ?, ?::bytea, ?, ?::bytea, ?::bytea FROM x";
    this.one = "WITH " + XID + ")" + insert + values + returning;
    this.oneSerialized =
        "WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(?)), "
            + XID
            + " FROM locked)"
            + insert
            + values
            + returning;
    this.many =
        "WITH "
            + XID
            + ")"
            + insert
            + next
            + "u.bucket, u.id, u.topic, u.key, u.traceparent, u.headers, u.payload FROM (SELECT r.*"
            + " FROM x, unnest(?::smallint[], ?::text[], ?::text[], ?::bytea[], ?::text[],"
            + " ?::bytea[], ?::bytea[]) WITH ORDINALITY AS r(bucket, id, topic, key, traceparent,"
            + " headers, payload, place) ORDER BY r.place) u"
            + returning;
    this.delete =
        "DELETE FROM "
            + tables.outbox()
            + " WHERE bucket = ANY (?::smallint[]) AND seq = ANY (?::bigint[])";
  }

  /** Inserts the rows in their order and ends their spans. */
  public void run(Connection tx, List<Draft> drafts, boolean serialized) throws SQLException {
    try {
      if (drafts.size() == 1) {
        insertOne(tx, drafts.get(0), serialized && drafts.get(0).key() != null);
      } else {
        insertMany(tx, drafts);
      }
    } catch (SQLException | RuntimeException e) {
      drafts.forEach(draft -> draft.span().failed(e));
      throw e;
    }
    drafts.forEach(draft -> draft.span().created());
  }

  private void insertOne(Connection tx, Draft draft, boolean serialized) throws SQLException {
    try (PreparedStatement insert = tx.prepareStatement(serialized ? oneSerialized : one)) {
      int i = 1;
      if (serialized) {
        insert.setLong(i++, lockOf(draft));
      }
      insert.setShort(i++, (short) draft.bucket());
      insert.setString(i++, draft.id());
      insert.setString(i++, draft.topic());
      insert.setObject(i++, draft.key(), Types.BINARY);
      insert.setString(i++, draft.traceparent());
      insert.setBytes(i++, draft.headers());
      insert.setObject(i, draft.payload(), Types.BINARY);
      execute(tx, insert, List.of(draft));
    }
  }

  private void insertMany(Connection tx, List<Draft> drafts) throws SQLException {
    try (PreparedStatement insert = tx.prepareStatement(many)) {
      int i = 1;
      insert.setArray(i++, tx.createArrayOf("int2", buckets(drafts)));
      insert.setArray(i++, tx.createArrayOf("text", texts(drafts, Draft::id)));
      insert.setArray(i++, tx.createArrayOf("text", texts(drafts, Draft::topic)));
      insert.setArray(i++, tx.createArrayOf("bytea", bytes(drafts, Draft::key)));
      insert.setArray(i++, tx.createArrayOf("text", texts(drafts, Draft::traceparent)));
      insert.setArray(i++, tx.createArrayOf("bytea", bytes(drafts, Draft::headers)));
      insert.setArray(i, tx.createArrayOf("bytea", bytes(drafts, Draft::payload)));
      execute(tx, insert, drafts);
    }
  }

  private void execute(Connection tx, PreparedStatement insert, List<Draft> drafts)
      throws SQLException {
    if (!deleteAtOnce) {
      insert.executeUpdate();
      return;
    }
    List<Long> numbers = new ArrayList<>(drafts.size());
    try (ResultSet inserted = insert.executeQuery()) {
      while (inserted.next()) {
        numbers.add(inserted.getLong(1));
      }
    }
    try (PreparedStatement statement = tx.prepareStatement(delete)) {
      statement.setArray(1, tx.createArrayOf("int2", buckets(drafts)));
      statement.setArray(2, tx.createArrayOf("int8", numbers.toArray()));
      statement.executeUpdate();
    }
  }

  private static Object[] buckets(List<Draft> drafts) {
    return drafts.stream().map(draft -> (short) draft.bucket()).toArray(Short[]::new);
  }

  private static Object[] texts(List<Draft> drafts, Function<Draft, String> field) {
    return drafts.stream().map(field).toArray(String[]::new);
  }

  private static Object[] bytes(List<Draft> drafts, Function<Draft, byte[]> field) {
    return drafts.stream().map(field).toArray(byte[][]::new);
  }

  /** The lock of a key within its topic: 64 bits of a hash, so that hardly any two share one. */
  static long lockOf(Draft draft) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update("onceward-outbox".getBytes(UTF_8));
      hash.update((byte) 0);
      hash.update(draft.topic().getBytes(UTF_8));
      hash.update((byte) 0);
      if (draft.key() != null) {
        hash.update(draft.key());
      }
      return ByteBuffer.wrap(hash.digest()).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
