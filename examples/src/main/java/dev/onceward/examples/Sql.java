package dev.onceward.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Small helpers over JDBC. */
public final class Sql {

  private Sql() {}

  /** Reads one row. */
  @FunctionalInterface
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Runs a script that lies beside a class. */
  public static void runScript(DataSource database, Class<?> beside, String name)
      throws SQLException {
    String script;
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no script " + name + " beside " + beside.getName());
      }
      script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(script);
    }
  }

  /**
   * Requires tables that the example may not create.
   *
   * @throws DemoFailure if one is missing
   */
  public static void requireTables(DataSource database, String... names) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement find = connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      for (String name : names) {
        find.setString(1, name);
        try (ResultSet result = find.executeQuery()) {
          if (!result.next() || !result.getBoolean(1)) {
            throw new DemoFailure(
                "--no-create: table "
                    + name
                    + " is missing at --database-url "
                    + connection.getMetaData().getURL().replaceFirst("\\?.*", "")
                    + "; create it or leave out --no-create");
          }
        }
      }
    }
  }

  /** Runs a query without parameters. */
  public static <T> List<T> query(DataSource database, String sql, Row<T> row) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<T> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(row.read(result));
      }
      return rows;
    }
  }

  /** Runs a query that gives one number. */
  public static long number(DataSource database, String sql) throws SQLException {
    return query(database, sql, row -> row.getLong(1)).get(0);
  }
}
