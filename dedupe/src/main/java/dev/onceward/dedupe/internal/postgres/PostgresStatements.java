package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.TransactionIsolation;
import dev.onceward.dedupe.internal.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The SQL of the inbox, all of it but the schema. Immutable. */
final class PostgresStatements {
  private final String handler;
  private final String processedEvent;
  private final String entityVersion;
  private final String isolation;
  private final String lockTimeout;

  PostgresStatements(
      TableNames tables, Duration lockTimeout, @Nullable TransactionIsolation isolation) {
    this.handler = tables.qualified(tables.handler());
    this.processedEvent = tables.qualified(tables.processedEvent());
    this.entityVersion = tables.qualified(tables.entityVersion());
    // Sent with the statement behind it: no round trip of its own, and unlike
    // Connection.setTransactionIsolation it leaves nothing on the session.
    this.isolation =
        isolation == null ? "" : "SET TRANSACTION ISOLATION LEVEL " + isolation.sql() + ";\n";
    this.lockTimeout =
        lockTimeout.isZero()
            ? ""
            : "set_config('lock_timeout', '" + Math.max(1, lockTimeout.toMillis()) + "', true)";
  }

  /**
   * Claims in one statement; columns: handler known, event fresh, version current. Parameters:
   * handler name, then the event key if {@code idempotent}, then entity key and version if {@code
   * guarded}. The version row is written only for a fresh event, so a duplicate stays a duplicate.
   *
   * <p>The handler's number is looked up by name each time (one more index probe) rather than
   * cached: a number that outlives its row would join the dedupe scopes of two handlers.
   */
  String claim(boolean idempotent, boolean guarded) {
    List<String> parts = new ArrayList<>();
    String scope = "h AS MATERIALIZED (SELECT id FROM " + handler + " WHERE name = ?)";
    if (!lockTimeout.isEmpty()) {
      // First of all, so that it holds for the waits of this very statement too.
      parts.add("s AS MATERIALIZED (SELECT " + lockTimeout + ")");
      scope = "h AS MATERIALIZED (SELECT id FROM s, " + handler + " WHERE name = ?)";
    }
    parts.add(scope);
    if (idempotent) {
      parts.add(
          "d AS (INSERT INTO "
              + processedEvent
              + " (handler, event_key) SELECT id, ?::uuid FROM h"
              + " ON CONFLICT DO NOTHING RETURNING handler AS id)");
    }
    if (guarded) {
      parts.add(
          "v AS (INSERT INTO "
              + entityVersion
              + " AS applied (handler, entity_key, version) SELECT id, ?::uuid, ?::bigint FROM "
              + (idempotent ? "d" : "h")
              + " ON CONFLICT (handler, entity_key) DO UPDATE SET version = excluded.version"
              + " WHERE applied.version < excluded.version RETURNING 1)");
    }
    return isolation
        + "WITH "
        + String.join(",\n", parts)
        + "\nSELECT EXISTS (SELECT FROM h), "
        + (idempotent ? "EXISTS (SELECT FROM d), " : "true, ")
        + (guarded ? "EXISTS (SELECT FROM v)" : "true");
  }

  /** What a plain transaction starts with; empty when there is nothing to set. */
  String begin() {
    return lockTimeout.isEmpty() && isolation.isEmpty()
        ? ""
        : isolation + "SELECT " + (lockTimeout.isEmpty() ? "1" : lockTimeout);
  }

  String registerHandler() {
    return "INSERT INTO " + handler + " (name) VALUES (?) ON CONFLICT (name) DO NOTHING";
  }

  /** Inserts no row, yet needs every privilege that {@link #registerHandler} needs. */
  String rehearseRegistration() {
    return "INSERT INTO " + handler + " (name) SELECT '' WHERE false ON CONFLICT (name) DO NOTHING";
  }

  /** The time before which rows are old, by the database's clock, which wrote them too. */
  String cutoff() {
    return "SELECT (now() - make_interval(secs => ?))::text";
  }

  /**
   * Deletes the next batch of old rows; columns: rows found, rows deleted, where to go on. The walk
   * follows the physical order from {@code tid}, so no batch visits again what earlier ones have
   * emptied. Literals instead of parameters, so that each batch is planned for its own range. READ
   * COMMITTED, so that two prunes at once do not fail each other.
   */
  String prune(String cutoff, String tid, int limit) {
    String old = "processed_at < '" + cutoff + "'::timestamptz";
    return "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\nWITH found AS MATERIALIZED (SELECT ctid AS tid FROM "
        + processedEvent
        + " WHERE "
        + old
        + " AND ctid >= '"
        + tid
        + "'::tid LIMIT "
        + limit
        + "), gone AS (DELETE FROM "
        + processedEvent
        + " WHERE ctid = ANY (ARRAY(SELECT tid FROM found)) AND "
        + old
        + " RETURNING 1)\nSELECT (SELECT count(*) FROM found), (SELECT count(*) FROM gone),"
        + " (SELECT max(tid)::text FROM found)";
  }
}
