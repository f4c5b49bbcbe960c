package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.BeyondWindow;
import dev.onceward.dedupe.InboxEntry.Mode;
import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.Claim;
import dev.onceward.dedupe.internal.EntityRow;
import dev.onceward.dedupe.internal.EventRow;
import dev.onceward.dedupe.internal.Facts;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import dev.onceward.dedupe.internal.Guard;
import dev.onceward.dedupe.internal.Guard.Judgement;
import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims one event in one statement. Whatever it writes for an event that turns out not to be fresh
 * is rolled back. Thread-safe.
 *
 * <p>The handler's number is looked up by name each time (one more index probe) rather than cached:
 * a number that outlives its row would join the dedupe scopes of two handlers.
 */
final class PostgresSingle {
  private final PostgresStatements statements;
  private final boolean readsOnBeyondWindow;

  PostgresSingle(PostgresStatements statements, BeyondWindow beyondWindow) {
    this.statements = statements;
    this.readsOnBeyondWindow = beyondWindow != BeyondWindow.DEAD_LETTER;
  }

  Facts claim(Connection connection, Batch batch, Duration timeout) throws SQLException {
    Claim claim = batch.claims().get(0);
    boolean needsHandler = !batch.handlers().isEmpty();
    Query query = statements.begin(batch.settings());
    FenceKey fence = claim.fence();
    if (fence != null) {
      fence(query, fence);
    }
    if (needsHandler) {
      handler(query, claim);
    }
    String source = needsHandler ? "h" : "s";
    EventRow event = claim.event();
    if (event != null) {
      source = event(query, event);
    }
    Guard guard = claim.guard();
    String written = guard == null ? "false" : guard(query, guard, source);
    boolean readsVersion = guard != null && readsVersion(guard);
    query.add(
        "\nSELECT s.leaked, "
            + (needsHandler ? "EXISTS (SELECT FROM h)" : "true")
            + (event == null
                ? ", NULL::int, 0, false"
                : ", coalesce((SELECT bucket_seconds FROM w), 0), coalesce((SELECT kept_from FROM w),"
                    + " 0), EXISTS (SELECT FROM d)")
            + (readsVersion ? ", (SELECT version::bigint FROM a), " : ", NULL::bigint, ")
            + written
            + (fence == null
                ? ", NULL::bigint, NULL::bigint"
                : ", (SELECT epoch FROM f), (SELECT next_offset FROM f)")
            + " FROM s");
    try (PreparedStatement statement = query.prepare(connection, timeout);
        ResultSet row = PostgresStatements.rows(statement, statement.execute())) {
      row.next();
      return facts(claim, row);
    }
  }

  private void fence(Query query, FenceKey fence) {
    query.add(",\nf AS MATERIALIZED (SELECT epoch, next_offset FROM " + statements.fence);
    query.add(" WHERE group_name = ").text(fence.group());
    query.add(" AND topic = ").text(fence.topic());
    query.add(" AND partition_id = ").integer(fence.partition()).add(")");
  }

  private void handler(Query query, Claim claim) {
    query.add(",\nh AS MATERIALIZED (SELECT id FROM s, " + statements.handler);
    query.add(" WHERE s.leaked = '' AND name = ").text(claim.handlerId());
    if (claim.fence() != null) {
      // an owner that was replaced must not wait for the locks of the new one
      query.add(" AND EXISTS (SELECT FROM f WHERE epoch = ").bigint(claim.epoch()).add(")");
    }
    query.add(")");
  }

  /** Returns the table expression that holds a row when the guard is to be looked at. */
  private String event(Query query, EventRow event) {
    boolean dated = event.bucket() != Buckets.UNDATED;
    query.add(
        ",\nw AS MATERIALIZED (SELECT bucket_seconds, "
            + statements.keptFrom
            + " AS kept_from FROM "
            + statements.window
            + ")");
    query.add(
        ",\nd AS (INSERT INTO " + statements.processedEvent + " (event_key, bucket, handler)");
    query.add(" SELECT ").uuid(event.key()).add(", ").integer(event.bucket()).add(", id FROM h");
    if (dated) {
      query.add(", w WHERE w.kept_from <= ").integer(event.bucket());
    }
    query.add(" ON CONFLICT DO NOTHING RETURNING handler AS id)");
    if (!dated || !readsOnBeyondWindow) {
      return "d";
    }
    query.add(",\ng AS MATERIALIZED (SELECT id FROM d UNION ALL SELECT id FROM h, w");
    query.add(" WHERE w.kept_from > ").integer(event.bucket()).add(")");
    return "g";
  }

  /** Returns the expression for whether the version is written. */
  private String guard(Query query, Guard guard, String source) {
    if (guard.row() instanceof EntityRow.Own own) {
      return guard.mode() == Mode.LATEST
          ? latest(query, guard, own, source)
          : next(query, guard, own, source);
    }
    if (guard.row() instanceof EntityRow.Foreign foreign) {
      // NO KEY UPDATE: rows that refer to this one can still be inserted meanwhile
      query.add(",\na AS MATERIALIZED (SELECT t.");
      query.add(PostgresStatements.quoted(foreign.where().versionColumn()) + " AS version FROM ");
      query.add(source + ", " + PostgresStatements.quotedTable(foreign.where()) + " t WHERE t.");
      query.add(PostgresStatements.quoted(foreign.where().keyColumn()) + " = ");
      query.untyped(foreign.key()).add(" FOR NO KEY UPDATE OF t)");
    }
    return "true";
  }

  private String latest(Query query, Guard guard, EntityRow.Own own, String source) {
    query.add(",\nv AS (INSERT INTO " + statements.entityVersion);
    query.add(" AS applied (entity_key, version, handler) SELECT ").uuid(own.key()).add(", ");
    query.bigint(guard.version());
    query.add(
        ", id FROM "
            + source
            + " ON CONFLICT (handler, entity_key) DO UPDATE SET version = excluded.version"
            + " WHERE applied.version < excluded.version RETURNING 1)");
    return "EXISTS (SELECT FROM v)";
  }

  /** Locks and reads first, to tell what is stale from a gap. */
  private String next(Query query, Guard guard, EntityRow.Own own, String source) {
    query.add(",\na AS MATERIALIZED (SELECT e.version FROM " + source + ", ");
    query.add(statements.entityVersion + " e WHERE e.handler = " + source + ".id");
    query.add(" AND e.entity_key = ").uuid(own.key()).add(" FOR NO KEY UPDATE OF e)");
    query.add(",\ni AS (INSERT INTO " + statements.entityVersion);
    query.add(" (entity_key, version, handler) SELECT ").uuid(own.key()).add(", ");
    query.bigint(guard.version()).add(", id FROM " + source + " WHERE NOT EXISTS (SELECT FROM a)");
    query.add(guard.judge(null) == Judgement.FRESH ? "" : " AND false");
    query.add(" ON CONFLICT DO NOTHING RETURNING 1)");
    query.add(",\nu AS (UPDATE " + statements.entityVersion + " e SET version = ");
    query.bigint(guard.version()).add(" FROM " + source + ", a WHERE e.handler = " + source);
    query.add(".id AND e.entity_key = ").uuid(own.key());
    query.add(" AND a.version < ").bigint(guard.version());
    query.add(" AND a.version = ").bigint(guard.version() - 1).add(" RETURNING 1)");
    return "EXISTS (SELECT FROM i) OR EXISTS (SELECT FROM u)";
  }

  private static boolean readsVersion(Guard guard) {
    return guard.mode() != Mode.LATEST || guard.row() instanceof EntityRow.Foreign;
  }

  private Facts facts(Claim claim, ResultSet row) throws SQLException {
    String leaked = row.getString(1);
    boolean known = row.getBoolean(2);
    Long seconds = longOrNull(row, 3);
    int keptFrom = row.getInt(4);
    boolean inserted = row.getBoolean(5);
    Long version = longOrNull(row, 6);
    boolean written = row.getBoolean(7);
    Long epoch = longOrNull(row, 8);
    Long nextOffset = longOrNull(row, 9);
    EventRow event = claim.event();
    boolean looked =
        known && (event == null || inserted || (readsOnBeyondWindow && isBeyond(event, keptFrom)));
    return new Facts(
        leaked,
        seconds == null ? OptionalInt.empty() : OptionalInt.of(seconds.intValue()),
        keptFrom,
        known || epochDiffers(claim, epoch) ? Set.of() : Set.of(claim.handlerId()),
        inserted && event != null ? Set.of(event) : Set.of(),
        claim.guard() == null || !looked ? Map.of() : applied(claim.guard(), version, written),
        epoch == null || claim.fence() == null
            ? Map.of()
            : Map.of(
                claim.fence(),
                new FenceState(
                    epoch,
                    nextOffset == null ? OptionalLong.empty() : OptionalLong.of(nextOffset))),
        Map.of(),
        true);
  }

  private static boolean isBeyond(EventRow event, int keptFrom) {
    return event.bucket() != Buckets.UNDATED && event.bucket() < keptFrom;
  }

  private static boolean epochDiffers(Claim claim, @Nullable Long epoch) {
    return claim.fence() != null && (epoch == null || epoch != claim.epoch());
  }

  private static Map<EntityRow, Long> applied(Guard guard, @Nullable Long version, boolean written)
      throws SQLException {
    if (!readsVersion(guard)) {
      return written ? Map.of() : Map.of(guard.row(), guard.version());
    }
    if (!written && guard.judge(version) == Judgement.FRESH) {
      throw new SQLException(
          "a concurrent transaction wrote the first version of the entity",
          SqlStates.SERIALIZATION_FAILURE);
    }
    return version == null ? Map.of() : Map.of(guard.row(), version);
  }

  private static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }
}
