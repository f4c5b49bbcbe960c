package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.EntityRow;
import dev.onceward.dedupe.internal.EventRow;
import dev.onceward.dedupe.internal.Facts;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.Settlement;
import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Claims any number of events in one statement of arrays, and writes what was judged in another.
 * Each table expression depends on the one before, so that all transactions lock in one order:
 * dedupe rows, version rows, handlers' rows, each in the order of the arrays. Thread-safe.
 */
final class PostgresMany {
  private final PostgresStatements statements;

  PostgresMany(PostgresStatements statements) {
    this.statements = statements;
  }

  Facts claim(Connection connection, Batch batch, Duration timeout) throws SQLException {
    List<String> handlers = List.copyOf(batch.handlers());
    List<EventRow> events = List.copyOf(batch.events());
    List<EntityRow.Own> own = List.copyOf(batch.own());
    List<Batch.Foreign> foreign = List.copyOf(batch.foreign().values());
    List<FenceKey> fences = List.copyOf(batch.fences().keySet());
    List<Long> firsts = batch.firstVersions();
    Query query = statements.begin(batch.settings());
    Query rows = new Query();
    String done = "s";
    if (!fences.isEmpty()) {
      fences(query, rows, fences);
    }
    if (!handlers.isEmpty()) {
      handlers(query, rows, handlers);
    }
    if (!events.isEmpty()) {
      events(query, rows, events, handlers);
      done = "d";
    }
    if (!firsts.isEmpty()) {
      advance(query, rows, own, firsts, handlers);
    } else if (!own.isEmpty()) {
      own(query, rows, own, handlers, done);
      done = "v";
    }
    for (int i = 0; i < foreign.size(); i++) {
      String name = "r" + i;
      foreign(query, rows, name, foreign.get(i), done);
      done = name;
    }
    query.add(
        "\nSELECT 's', 0::bigint, NULL::bigint, NULL::bigint, s.leaked FROM s" + rows.toString());
    Found found = new Found(batch, handlers, events, own, foreign, fences);
    try (PreparedStatement statement = query.prepare(connection, timeout);
        ResultSet row = PostgresStatements.rows(statement, statement.execute())) {
      while (row.next()) {
        found.add(row);
      }
    }
    if (!firsts.isEmpty() && found.isToBeJudged()) {
      found.wrote(firsts);
      read(connection, found);
    }
    return found.facts();
  }

  private void fences(Query query, Query rows, List<FenceKey> fences) {
    query.add(",\nf AS MATERIALIZED (SELECT k.ord, e.epoch, e.next_offset FROM unnest((SELECT ");
    query.texts(fences.stream().map(FenceKey::group).toList()).add("), (SELECT ");
    query.texts(fences.stream().map(FenceKey::topic).toList()).add("), (SELECT ");
    query.integers(fences.stream().map(FenceKey::partition).toList());
    query.add(")) WITH ORDINALITY k(group_name, topic, partition_id, ord) JOIN ");
    query.add(statements.fence + " e USING (group_name, topic, partition_id))");
    rows.add("\nUNION ALL SELECT 'f', ord, epoch, next_offset, NULL FROM f");
  }

  private void handlers(Query query, Query rows, List<String> handlers) {
    if (handlers.size() == 1) {
      query.add(",\nh AS MATERIALIZED (SELECT 1::bigint AS ord, t.id FROM s, ");
      query.add(statements.handler + " t WHERE t.name = ").text(handlers.get(0));
      query.add(" AND s.leaked = '')");
    } else {
      query.add(",\nh AS MATERIALIZED (SELECT k.ord, t.id FROM s, unnest((SELECT ");
      query.texts(handlers).add(")) WITH ORDINALITY k(name, ord) JOIN " + statements.handler);
      query.add(" t USING (name) WHERE s.leaked = '')");
    }
    rows.add("\nUNION ALL SELECT 'h', ord, NULL, NULL, NULL FROM h");
  }

  private void events(Query query, Query rows, List<EventRow> events, List<String> handlers) {
    // they are in the order of their buckets, and hardly ever of more than one
    boolean oneBucket = events.get(0).bucket() == events.get(events.size() - 1).bucket();
    String bucket = oneBucket ? "(SELECT bucket FROM a)" : "k.bucket";
    query.add(",\nw AS MATERIALIZED (SELECT bucket_seconds, " + statements.keptFrom);
    query.add(" AS kept_from FROM " + statements.window + ")");
    query.add(",\na AS MATERIALIZED (SELECT ");
    query.uuids(events.stream().map(EventRow::key).toList()).add(" AS key, ");
    if (oneBucket) {
      query.integer(events.get(0).bucket());
    } else {
      query.integers(events.stream().map(EventRow::bucket).toList());
    }
    query.add(" AS bucket");
    handlersOf(query, events.stream().map(EventRow::handler), handlers);
    String keys = table("a", oneBucket ? List.of("key") : List.of("key", "bucket"), handlers);
    query.add(",\nd AS (INSERT INTO " + statements.processedEvent);
    query.add(" (event_key, bucket, handler) SELECT k.key, " + bucket + ", k.id FROM " + keys);
    query.add(" WHERE k.id IS NOT NULL AND (" + bucket + " >= (SELECT kept_from FROM w) OR ");
    query.add(bucket + " = ").integer(Buckets.UNDATED);
    query.add(") ORDER BY k.ord ON CONFLICT DO NOTHING RETURNING event_key, bucket, handler)");
    query.add(",\nn AS MATERIALIZED (SELECT count(*) AS inserted FROM d)");
    rows.add("\nUNION ALL SELECT 'w', 0, bucket_seconds, kept_from, NULL FROM w");
    rows.add("\nUNION ALL SELECT 'n', 0, inserted, NULL, NULL FROM n");
    rows.add("\nUNION ALL SELECT 'd', k.ord, NULL, NULL, NULL FROM d JOIN " + keys + " ON");
    rows.add(" k.key = d.event_key AND " + bucket + " = d.bucket AND k.id = d.handler WHERE");
    rows.add(" (SELECT inserted FROM n) < (SELECT cardinality(key) FROM a)");
  }

  /**
   * Writes the first version of each entity at once, if all events are new; as a rule they are, and
   * then nothing is left to be read, judged and written. A row that is not newer stays, locked.
   */
  private void advance(
      Query query, Query rows, List<EntityRow.Own> own, List<Long> firsts, List<String> handlers) {
    query.add(",\nb AS MATERIALIZED (SELECT ");
    query.uuids(own.stream().map(EntityRow.Own::key).toList()).add(" AS key, ");
    query.bigints(new ArrayList<>(firsts)).add(" AS version");
    handlersOf(query, own.stream().map(EntityRow.Own::handler), handlers);
    String versions = table("b", List.of("key", "version"), handlers);
    query.add(",\nu AS (INSERT INTO " + statements.entityVersion);
    query.add(" AS applied (entity_key, version, handler) SELECT k.key, k.version, k.id FROM ");
    query.add(versions + " WHERE (SELECT inserted FROM n) = (SELECT cardinality(key) FROM a)");
    query.add(" ORDER BY k.ord ON CONFLICT (handler, entity_key) DO UPDATE SET version =");
    query.add(" excluded.version WHERE applied.version < excluded.version");
    query.add(" RETURNING entity_key, handler)");
    query.add(",\nm AS MATERIALIZED (SELECT count(*) AS advanced FROM u)");
    rows.add("\nUNION ALL SELECT 'm', 0, advanced, NULL, NULL FROM m");
    rows.add("\nUNION ALL SELECT 'u', k.ord, NULL, NULL, NULL FROM u JOIN " + versions + " ON");
    rows.add(" k.key = u.entity_key AND k.id = u.handler WHERE");
    rows.add(" (SELECT advanced FROM m) < (SELECT cardinality(key) FROM b)");
  }

  /** Ends a row of arrays: with the positions of the handlers, unless there is only one. */
  private static void handlersOf(Query query, Stream<String> ofRows, List<String> handlers) {
    if (handlers.size() > 1) {
      query.add(", ").integers(positions(ofRows.toList(), handlers)).add(" AS handler");
    }
    query.add(")");
  }

  /**
   * The table k of the arrays in a row, each with its position ord and its handler's number id. The
   * arrays are asked for by subqueries: what is in them must not make plans differ, or the server
   * makes one for each batch. Nor is one handler joined, so that the rows come in their order.
   */
  private static String table(String row, List<String> columns, List<String> handlers) {
    List<String> all = new ArrayList<>(columns);
    boolean many = handlers.size() > 1;
    if (many) {
      all.add("handler");
    }
    return "(SELECT t.*, "
        + (many ? "h.id" : "(SELECT id FROM h) AS id")
        + " FROM unnest("
        + all.stream()
            .map(column -> "(SELECT " + column + " FROM " + row + ")")
            .collect(Collectors.joining(", "))
        + ") WITH ORDINALITY t("
        + String.join(", ", all)
        + ", ord)"
        + (many ? " JOIN h ON h.ord = t.handler) k" : ") k");
  }

  /** Locks and reads the versions that {@link #advance} has not written. */
  private void read(Connection connection, Found found) throws SQLException {
    List<EntityRow.Own> left = found.notWritten();
    if (left.isEmpty()) {
      return;
    }
    Query query = new Query().add("SELECT k.ord, e.version FROM unnest(");
    query.texts(left.stream().map(EntityRow.Own::handler).toList()).add(", ");
    query.uuids(left.stream().map(EntityRow.Own::key).toList());
    query.add(") WITH ORDINALITY k(name, key, ord) JOIN " + statements.handler);
    query.add(" h USING (name) JOIN " + statements.entityVersion);
    query.add(" e ON e.handler = h.id AND e.entity_key = k.key ORDER BY k.ord");
    query.add(" FOR NO KEY UPDATE OF e");
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        found.applied(left.get(row.getInt(1) - 1), row.getLong(2));
      }
    }
  }

  private void own(
      Query query, Query rows, List<EntityRow.Own> own, List<String> handlers, String done) {
    query.add(",\nv AS MATERIALIZED (SELECT k.ord, e.version FROM unnest(");
    query.integers(positions(own.stream().map(EntityRow.Own::handler).toList(), handlers));
    query.add(", ").uuids(own.stream().map(EntityRow.Own::key).toList());
    query.add(") WITH ORDINALITY k(handler, key, ord) JOIN h ON h.ord = k.handler JOIN ");
    query.add(statements.entityVersion + " e ON e.handler = h.id AND e.entity_key = k.key");
    query.add(" WHERE " + after(done) + " ORDER BY k.ord FOR NO KEY UPDATE OF e)");
    rows.add("\nUNION ALL SELECT 'v', ord, version, NULL, NULL FROM v");
  }

  /**
   * True, and known only when all of a table expression is done. The server asks once for it; a
   * join with the same count would ask again for each row.
   */
  private static String after(String done) {
    return "(SELECT count(*) FROM " + done + ") >= 0";
  }

  private static void foreign(
      Query query, Query rows, String name, Batch.Foreign foreign, String done) {
    GuardedRow where = foreign.where();
    String key = "t." + PostgresStatements.quoted(where.keyColumn());
    query.add(",\n" + name + " AS MATERIALIZED (SELECT array_positions(");
    query.untypedArray(foreign.keys()).add(", " + key + ") AS positions, t.");
    query.add(PostgresStatements.quoted(where.versionColumn()) + "::bigint AS version FROM ");
    query.add(PostgresStatements.quotedTable(where) + " t WHERE " + after(done));
    query.add(" AND " + key + " = ANY (");
    query.untypedArray(foreign.keys()).add(") ORDER BY " + key + " FOR NO KEY UPDATE OF t)");
    rows.add("\nUNION ALL SELECT '" + name + "', position, version, NULL, NULL FROM " + name);
    rows.add(", unnest(" + name + ".positions) position");
  }

  void settle(Connection connection, Settlement settlement) throws SQLException {
    Query query = new Query().add("WITH h AS MATERIALIZED (SELECT id, name FROM ");
    TreeSet<String> names = new TreeSet<>();
    settlement.takenBack().forEach(row -> names.add(row.handler()));
    settlement.added().keySet().forEach(row -> names.add(row.handler()));
    settlement.moved().keySet().forEach(row -> names.add(row.handler()));
    query.add(statements.handler + " WHERE name = ANY (").texts(names).add("))");
    if (!settlement.takenBack().isEmpty()) {
      takeBack(query, List.copyOf(settlement.takenBack()));
    }
    if (!settlement.moved().isEmpty()) {
      query.add(",\nmoved AS (UPDATE " + statements.entityVersion + " e SET version = k.version");
      query.add(" FROM ");
      versions(query, settlement.moved());
      query.add(" JOIN h USING (name) WHERE e.handler = h.id AND e.entity_key = k.key)");
    }
    if (settlement.added().isEmpty()) {
      query.add("\nSELECT 0");
    } else {
      query.add(",\nadded AS (INSERT INTO " + statements.entityVersion);
      query.add(" (entity_key, version, handler) SELECT k.key, k.version, h.id FROM ");
      versions(query, settlement.added());
      query.add(" JOIN h USING (name) ORDER BY k.ord ON CONFLICT DO NOTHING RETURNING 1)");
      query.add("\nSELECT count(*) FROM added");
    }
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      row.next();
      if (row.getLong(1) != settlement.added().size()) {
        throw new SQLException(
            "a concurrent transaction wrote the first version of an entity",
            SqlStates.SERIALIZATION_FAILURE);
      }
    }
  }

  private void takeBack(Query query, List<EventRow> rows) {
    query.add(",\nback AS (DELETE FROM " + statements.processedEvent + " p USING unnest(");
    query.texts(rows.stream().map(EventRow::handler).toList()).add(", ");
    query.integers(rows.stream().map(EventRow::bucket).toList()).add(", ");
    query.uuids(rows.stream().map(EventRow::key).toList());
    query.add(") k(name, bucket, key) JOIN h USING (name) WHERE p.bucket = k.bucket");
    query.add(" AND p.handler = h.id AND p.event_key = k.key)");
  }

  private static void versions(Query query, SortedMap<EntityRow.Own, Long> versions) {
    query.add("unnest(");
    query.texts(versions.keySet().stream().map(EntityRow.Own::handler).toList()).add(", ");
    query.uuids(versions.keySet().stream().map(EntityRow.Own::key).toList()).add(", ");
    query.bigints(new ArrayList<>(versions.values()));
    query.add(") WITH ORDINALITY k(name, key, version, ord)");
  }

  /** The positions, from 1, of values in a list. */
  private static Collection<Integer> positions(List<String> values, List<String> in) {
    Map<String, Integer> positions = new HashMap<>();
    for (String value : in) {
      positions.put(value, positions.size() + 1);
    }
    return values.stream().map(positions::get).toList();
  }
}
