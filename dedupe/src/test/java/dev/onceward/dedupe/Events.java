package dev.onceward.dedupe;

import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Entries and effects that the tests share. */
public final class Events {
  public static final URI SOURCE = URI.create("//shop/orders");

  private Events() {}

  public static InboxEntry event(String id) {
    return event("billing", id);
  }

  public static InboxEntry event(String handler, String id) {
    return InboxEntry.of(handler, SOURCE, id);
  }

  public static InboxEntry event(String id, String key, long version) {
    return event(id).withVersion(new EntityVersion("orders", key, version));
  }

  /** The ledger that {@link #charge} writes to. */
  public static void createLedger(TestDatabase database) throws SQLException {
    database.execute(
        "CREATE TABLE ledger (id bigserial PRIMARY KEY, account text, amount bigint);"
            + "CREATE TABLE state (name text PRIMARY KEY, amount bigint)");
  }

  public static Effect charge(String account, long amount) {
    return tx -> insert(tx, account, amount);
  }

  public static void insert(Connection tx, String account, long amount) throws SQLException {
    try (PreparedStatement statement =
        tx.prepareStatement("INSERT INTO ledger (account, amount) VALUES (?, ?)")) {
      statement.setString(1, account);
      statement.setLong(2, amount);
      statement.executeUpdate();
    }
  }

  public static Effect put(SqlDatabase database, String key, long value) {
    return tx -> {
      try (PreparedStatement statement =
          tx.prepareStatement(database.upsert("state", "name", "amount"))) {
        statement.setString(1, key);
        statement.setLong(2, value);
        statement.executeUpdate();
      }
    };
  }

  public static Effect sql(String sql) {
    return tx -> execute(tx, sql);
  }

  public static void execute(Connection tx, String sql) throws SQLException {
    try (Statement statement = tx.createStatement()) {
      statement.execute(sql);
    }
  }
}
