package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.internal.EntityRow;
import dev.onceward.dedupe.internal.EventRow;
import dev.onceward.dedupe.internal.Settlement;
import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;

/** Writes what was judged. Thread-safe. */
final class PortableSettlement {
  private final PortableTables tables;

  PortableSettlement(PortableTables tables) {
    this.tables = tables;
  }

  void settle(Connection connection, Settlement settlement) throws SQLException {
    if (!settlement.takenBack().isEmpty()) {
      takeBack(connection, settlement.takenBack());
    }
    if (!settlement.moved().isEmpty()) {
      move(connection, settlement.moved());
    }
    if (!settlement.added().isEmpty()) {
      add(connection, settlement.added());
    }
  }

  private void takeBack(Connection connection, SortedSet<EventRow> rows) throws SQLException {
    String sql =
        "DELETE FROM "
            + tables.processedEvent
            + " WHERE handler = "
            + tables.numberOf()
            + "?) AND bucket = ? AND event_key = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (EventRow row : rows) {
        tables.flavor.bindName(statement, 1, row.handler());
        statement.setInt(2, row.bucket());
        tables.flavor.bind(statement, 3, row.key());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /** The rows are locked already. */
  private void move(Connection connection, SortedMap<EntityRow.Own, Long> versions)
      throws SQLException {
    String sql =
        "UPDATE "
            + tables.entityVersion
            + " SET version = ? WHERE handler = "
            + tables.numberOf()
            + "?) AND entity_key = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (Map.Entry<EntityRow.Own, Long> row : versions.entrySet()) {
        statement.setLong(1, row.getValue());
        tables.flavor.bindName(statement, 2, row.getKey().handler());
        tables.flavor.bind(statement, 3, row.getKey().key());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private void add(Connection connection, SortedMap<EntityRow.Own, Long> versions)
      throws SQLException {
    List<Map.Entry<EntityRow.Own, Long>> rows = new ArrayList<>(versions.entrySet());
    try {
      for (List<Map.Entry<EntityRow.Own, Long>> part :
          PortableClaims.parts(rows, tables.flavor.rowsOfAnInsert())) {
        tables
            .sql()
            .add("INSERT INTO " + tables.entityVersion)
            .add(" (handler, entity_key, version) VALUES ")
            .each(
                part,
                ", ",
                (sql, row) ->
                    sql.add("(" + tables.numberOf())
                        .name(row.getKey().handler())
                        .add("), ")
                        .key(row.getKey().key())
                        .add(", ")
                        .number(row.getValue())
                        .add(")"))
            .update(connection);
      }
    } catch (SQLException e) {
      if (tables.flavor.sqlState(e).equals(SqlStates.UNIQUE_VIOLATION)) {
        SQLException conflict =
            PortableClaims.conflict(
                "a concurrent transaction wrote the first version of an entity");
        conflict.addSuppressed(e);
        throw conflict;
      }
      throw e;
    }
  }
}
