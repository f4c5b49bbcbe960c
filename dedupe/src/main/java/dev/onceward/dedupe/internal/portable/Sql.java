package dev.onceward.dedupe.internal.portable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;

/** A statement's text and parameters, built together so that they cannot drift apart. */
final class Sql {
  private final Flavor flavor;
  private final StringBuilder text = new StringBuilder(512);
  private final List<Parameter> parameters = new ArrayList<>();

  Sql(Flavor flavor) {
    this.flavor = flavor;
  }

  Sql add(String more) {
    text.append(more);
    return this;
  }

  Sql key(UUID value) {
    return bind((statement, index) -> flavor.bind(statement, index, value));
  }

  Sql name(String value) {
    return bind((statement, index) -> flavor.bindName(statement, index, value));
  }

  Sql text(String value) {
    return bind((statement, index) -> statement.setString(index, value));
  }

  Sql number(long value) {
    return bind((statement, index) -> statement.setLong(index, value));
  }

  /** Adds something for each value, with {@code between} between them. */
  <T> Sql each(Iterable<T> values, String between, Addition<T> addition) {
    for (Iterator<T> rest = values.iterator(); rest.hasNext(); ) {
      addition.add(this, rest.next());
      if (rest.hasNext()) {
        text.append(between);
      }
    }
    return this;
  }

  private Sql bind(Parameter parameter) {
    text.append('?');
    parameters.add(parameter);
    return this;
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    return prepare(connection, Duration.ZERO);
  }

  /** {@code timeout} zero: none. */
  PreparedStatement prepare(Connection connection, Duration timeout) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(text.toString());
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

  int update(Connection connection) throws SQLException {
    try (PreparedStatement statement = prepare(connection)) {
      return statement.executeUpdate();
    }
  }

  private interface Parameter {
    void set(PreparedStatement statement, int index) throws SQLException;
  }

  interface Addition<T> {
    void add(Sql sql, T value);
  }
}
