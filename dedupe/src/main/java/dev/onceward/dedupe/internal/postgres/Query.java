package dev.onceward.dedupe.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A statement's text and parameters, built together so that they cannot drift apart. */
final class Query {
  private final StringBuilder sql = new StringBuilder(1_024);
  private final List<Parameter> parameters = new ArrayList<>();

  Query add(String text) {
    sql.append(text);
    return this;
  }

  Query text(String value) {
    return bind("?::text", (statement, index) -> statement.setString(index, value));
  }

  Query uuid(UUID value) {
    return bind("?::uuid", (statement, index) -> statement.setObject(index, value));
  }

  Query integer(int value) {
    return bind("?::int", (statement, index) -> statement.setInt(index, value));
  }

  Query bigint(long value) {
    return bind("?::bigint", (statement, index) -> statement.setLong(index, value));
  }

  /** Of no type, so that it takes that of what it is compared with, whose index is used then. */
  Query untyped(String value) {
    return bind("?", (statement, index) -> statement.setObject(index, value, Types.OTHER));
  }

  /** An array of no type. */
  Query untypedArray(Collection<String> values) {
    StringBuilder literal = new StringBuilder("{");
    for (String value : values) {
      literal.append(literal.length() == 1 ? "\"" : ",\"");
      literal.append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    }
    return untyped(literal.append('}').toString());
  }

  Query texts(Collection<String> values) {
    return array("text", values);
  }

  Query uuids(Collection<UUID> values) {
    return array("uuid", values);
  }

  Query integers(Collection<Integer> values) {
    return array("int4", values);
  }

  Query bigints(Collection<@Nullable Long> values) {
    return array("int8", values);
  }

  private Query array(String type, Collection<?> values) {
    return bind(
        "?::" + type + "[]",
        (statement, index) ->
            statement.setArray(
                index, statement.getConnection().createArrayOf(type, values.toArray())));
  }

  private Query bind(String placeholder, Parameter parameter) {
    sql.append(placeholder);
    parameters.add(parameter);
    return this;
  }

  /** The text, for statements without parameters. */
  @Override
  public String toString() {
    return sql.toString();
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    return prepare(connection, Duration.ZERO);
  }

  /** {@code timeout} zero: none. */
  PreparedStatement prepare(Connection connection, Duration timeout) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql.toString());
    try {
      if (!timeout.isZero()) {
        statement.setQueryTimeout((int) Math.min(Integer.MAX_VALUE, timeout.toSeconds() + 1));
      }
      for (int i = 0; i < parameters.size(); i++) {
        parameters.get(i).set(statement, i + 1);
      }
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private interface Parameter {
    void set(PreparedStatement statement, int index) throws SQLException;
  }
}
