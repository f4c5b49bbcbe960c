package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.Claim;
import dev.onceward.dedupe.internal.EntityRow;
import dev.onceward.dedupe.internal.EventRow;
import dev.onceward.dedupe.internal.Facts;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Claims events: one query for what is known beforehand, one insert for the dedupe rows, and one
 * query for the version rows, which it locks. All transactions lock in the order of the primary
 * keys. Thread-safe.
 */
final class PortableClaims {
  /** How many keys a query asks for. */
  private static final int ROWS = 500;

  /** Keys as the databases order them: by their bytes. */
  private static final Comparator<UUID> BY_BYTES =
      Comparator.<UUID, Long>comparing(UUID::getMostSignificantBits, Long::compareUnsigned)
          .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned);

  private final PortableTables tables;
  private final PortableLookup lookup;
  private final int bucketSeconds;

  PortableClaims(InboxConfig config, PortableTables tables) {
    this.tables = tables;
    this.lookup = new PortableLookup(config, tables);
    this.bucketSeconds = config.buckets().seconds();
  }

  Facts claim(Connection connection, Batch batch) throws SQLException {
    if (batch.claimsNothing()) {
      return facts(batch, new PortableLookup.Found(), Set.of(), Map.of());
    }
    long begun = System.nanoTime();
    PortableLookup.Found known = lookup.look(connection, batch);
    boolean refused =
        !batch.handlersBut(new TreeSet<>(known.numbers.keySet())).isEmpty()
            || !known.hold(batch.fences())
            || (!batch.events().isEmpty() && known.bucketSeconds != bucketSeconds);
    if (refused) {
      return facts(batch, known, Set.of(), Map.of());
    }
    Set<EventRow> inserted = insert(connection, batch.events(), known);
    if (System.nanoTime() - begun > TimeUnit.NANOSECONDS.convert(PortableMaintenance.NOTED) / 2) {
      // the window may have moved on, and rows of before be gone
      throw conflict("it took too long to insert the dedupe rows");
    }
    return facts(batch, known, inserted, versions(connection, batch, known, inserted));
  }

  private static Facts facts(
      Batch batch,
      PortableLookup.Found known,
      Set<EventRow> inserted,
      Map<EntityRow, Long> applied) {
    return new Facts(
        "",
        batch.events().isEmpty() ? OptionalInt.empty() : OptionalInt.of(known.bucketSeconds),
        known.keptFrom,
        known.hold(batch.fences())
            ? batch.handlersBut(new TreeSet<>(known.numbers.keySet()))
            : Set.of(),
        inserted,
        applied,
        known.fences,
        Map.of(),
        false);
  }

  private Set<EventRow> insert(
      Connection connection, Collection<EventRow> events, PortableLookup.Found known)
      throws SQLException {
    List<EventRow> rows = new ArrayList<>();
    for (EventRow event : events) {
      if (event.bucket() == Buckets.UNDATED || event.bucket() >= known.keptFrom) {
        rows.add(event);
      }
    }
    rows.sort(
        Comparator.comparingInt(EventRow::bucket)
            .thenComparing(event -> known.number(event.handler()))
            .thenComparing(EventRow::key, BY_BYTES));
    if (rows.size() > 1) {
      for (List<EventRow> part : parts(List.copyOf(rows), ROWS)) {
        rows.removeAll(existing(connection, part, known));
      }
    }
    Set<EventRow> inserted = new HashSet<>();
    for (List<EventRow> part : parts(rows, tables.flavor.rowsOfAnInsert())) {
      inserted.addAll(insertPart(connection, part, known));
    }
    return inserted;
  }

  static <T> List<List<T>> parts(List<T> rows, int size) {
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += size) {
      parts.add(rows.subList(from, Math.min(from + size, rows.size())));
    }
    return parts;
  }

  /**
   * Inserts what is not there. What is there is never concluded from the failure of an insert: H2
   * also refuses a row because of one that is taken back in the end. Several rows are looked for
   * beforehand, because InnoDB keeps locks on gaps where a statement that failed has undone some.
   */
  private List<EventRow> insertPart(
      Connection connection, List<EventRow> part, PortableLookup.Found known) throws SQLException {
    List<EventRow> rows = new ArrayList<>(part);
    while (!rows.isEmpty()) {
      try {
        tables
            .sql()
            .add("INSERT INTO " + tables.processedEvent)
            .add(" (bucket, handler, event_key) VALUES ")
            .each(
                rows,
                ", ",
                (sql, row) ->
                    sql.add("(")
                        .number(row.bucket())
                        .add(", ")
                        .number(known.number(row.handler()))
                        .add(", ")
                        .key(row.key())
                        .add(")"))
            .update(connection);
        return rows;
      } catch (SQLException e) {
        if (!tables.flavor.sqlState(e).equals(SqlStates.UNIQUE_VIOLATION)) {
          throw e;
        }
        Set<EventRow> there = existing(connection, rows, known);
        if (there.isEmpty()) {
          // taken back meanwhile, or hidden by the snapshot of a higher isolation level
          SQLException conflict = conflict("a dedupe row was there and is not found");
          conflict.addSuppressed(e);
          throw conflict;
        }
        rows.removeAll(there);
      }
    }
    return List.of();
  }

  private Set<EventRow> existing(
      Connection connection, List<EventRow> rows, PortableLookup.Found known) throws SQLException {
    Map<String, List<EventRow>> groups = new TreeMap<>();
    Map<String, EventRow> byKey = new HashMap<>();
    for (EventRow row : rows) {
      String group = row.bucket() + " " + known.number(row.handler());
      groups.computeIfAbsent(group, key -> new ArrayList<>()).add(row);
      byKey.put(group + " " + row.key(), row);
    }
    Sql sql = tables.sql().add("SELECT bucket, handler, event_key FROM " + tables.processedEvent);
    sql.add(" WHERE ")
        .each(
            groups.values(),
            " OR ",
            (query, group) ->
                query
                    .add("(bucket = ")
                    .number(group.get(0).bucket())
                    .add(" AND handler = ")
                    .number(known.number(group.get(0).handler()))
                    .add(" AND event_key IN (")
                    .each(group, ", ", (keys, row) -> keys.key(row.key()))
                    .add("))"));
    Set<EventRow> found = new HashSet<>();
    try (PreparedStatement statement = sql.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        EventRow event =
            byKey.get(row.getInt(1) + " " + row.getInt(2) + " " + tables.flavor.key(row, 3));
        if (event != null) {
          found.add(event);
        }
      }
    }
    return found;
  }

  /** Looks at the rows of claims that are no duplicates, so that duplicates wait for no one. */
  private Map<EntityRow, Long> versions(
      Connection connection, Batch batch, PortableLookup.Found known, Set<EventRow> inserted)
      throws SQLException {
    Set<EntityRow.Own> own = new HashSet<>();
    Set<EntityRow.Foreign> foreign = new HashSet<>();
    for (Claim claim : batch.claims()) {
      EventRow event = claim.event();
      boolean looked =
          event == null
              || inserted.contains(event)
              || (event.bucket() != Buckets.UNDATED && event.bucket() < known.keptFrom);
      if (looked && claim.guard() != null) {
        if (claim.guard().row() instanceof EntityRow.Own row) {
          own.add(row);
        } else if (claim.guard().row() instanceof EntityRow.Foreign row) {
          foreign.add(row);
        }
      }
    }
    Map<EntityRow, Long> applied = new HashMap<>();
    own(connection, own, known, applied);
    foreign(connection, foreign, applied);
    return applied;
  }

  private void own(
      Connection connection,
      Set<EntityRow.Own> own,
      PortableLookup.Found known,
      Map<EntityRow, Long> applied)
      throws SQLException {
    Map<Integer, Map<UUID, EntityRow.Own>> byNumber = new TreeMap<>();
    for (EntityRow.Own row : own) {
      byNumber
          .computeIfAbsent(known.number(row.handler()), number -> new TreeMap<>(BY_BYTES))
          .put(row.key(), row);
    }
    for (Map.Entry<Integer, Map<UUID, EntityRow.Own>> rows : byNumber.entrySet()) {
      List<UUID> keys = List.copyOf(rows.getValue().keySet());
      for (List<UUID> part : parts(keys, ROWS)) {
        Sql sql =
            tables
                .sql()
                .add("SELECT entity_key, version FROM " + tables.entityVersion)
                .add(" WHERE handler = ")
                .number(rows.getKey())
                .add(" AND entity_key IN (")
                .each(part, ", ", Sql::key)
                .add(") ORDER BY entity_key FOR UPDATE");
        try (PreparedStatement statement = sql.prepare(connection);
            ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            EntityRow.Own entity = rows.getValue().get(tables.flavor.key(row, 1));
            if (entity != null) {
              applied.put(entity, row.getLong(2));
            }
          }
        }
      }
    }
  }

  /** One by one, so that the database compares the key in the column's own type. */
  private void foreign(
      Connection connection, Set<EntityRow.Foreign> foreign, Map<EntityRow, Long> applied)
      throws SQLException {
    List<EntityRow.Foreign> rows = new ArrayList<>(foreign);
    rows.sort(
        Comparator.<EntityRow.Foreign, String>comparing(row -> row.where().toString())
            .thenComparing(EntityRow.Foreign::key));
    for (EntityRow.Foreign row : rows) {
      Optional<Long> version = foreign(connection, row);
      version.ifPresent(found -> applied.put(row, found));
    }
  }

  private Optional<Long> foreign(Connection connection, EntityRow.Foreign wanted)
      throws SQLException {
    GuardedRow where = wanted.where();
    Flavor flavor = tables.flavor;
    Sql sql =
        tables
            .sql()
            .add("SELECT " + flavor.quoted(where.versionColumn()))
            .add(" FROM " + quotedTable(where))
            .add(" WHERE " + flavor.quoted(where.keyColumn()) + " = ")
            .text(wanted.key())
            .add(" FOR UPDATE");
    try (PreparedStatement statement = sql.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        return Optional.empty();
      }
      long version = row.getLong(1);
      Optional<Long> found = row.wasNull() ? Optional.empty() : Optional.of(version);
      if (row.next()) {
        throw new SQLException(
            "several rows of "
                + where.table()
                + " have one "
                + where.keyColumn()
                + "; onRow needs a column with a unique index",
            SqlStates.CARDINALITY_VIOLATION);
      }
      return found;
    }
  }

  /** Looks at a handler's table and its columns, at no row. */
  void look(Connection connection, GuardedRow row) throws SQLException {
    Flavor flavor = tables.flavor;
    Sql sql =
        tables
            .sql()
            .add("SELECT " + flavor.quoted(row.keyColumn()))
            .add(", " + flavor.quoted(row.versionColumn()))
            .add(" FROM " + quotedTable(row) + " WHERE 1 = 0");
    try (PreparedStatement statement = sql.prepare(connection)) {
      statement.execute();
    }
  }

  private String quotedTable(GuardedRow row) {
    return Arrays.stream(row.table().split("\\.", -1))
        .map(tables.flavor::quoted)
        .collect(Collectors.joining("."));
  }

  /** Repeats the whole transaction. */
  static SQLException conflict(String why) {
    return new SQLException(why, SqlStates.SERIALIZATION_FAILURE);
  }
}
