package dev.onceward.producer.internal.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** The statements on leases and relays. All times are the database's. */
final class LeaseTable {
  private final UUID owner;
  private final String name;
  private final String heartbeat;
  private final String forgetRelays;
  private final String leave;
  private final String look;
  private final String relays;
  private final String renew;
  private final String take;
  private final String giveUp;

  LeaseTable(OutboxTables tables, UUID owner, String name) {
    this.owner = owner;
    this.name = name;
    String until = "clock_timestamp() + make_interval(secs => ?)";
    this.heartbeat =
        "INSERT INTO "
            + tables.relay()
            + " (id, name, expires_at) VALUES (?, ?, "
            + until
            + ") ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at";
    this.forgetRelays =
        "DELETE FROM "
            + tables.relay()
            + " WHERE expires_at < clock_timestamp() - interval '1 hour'";
    this.leave = "DELETE FROM " + tables.relay() + " WHERE id = ?";
    this.look =
        "SELECT shard, owner, epoch, revision, owner IS NULL OR expires_at < clock_timestamp() FROM "
            + tables.lease();
    this.relays =
        "SELECT count(*) FROM " + tables.relay() + " WHERE expires_at > clock_timestamp()";
    this.renew =
        "UPDATE "
            + tables.lease()
            + " SET expires_at = "
            + until
            + " WHERE owner = ? RETURNING shard, epoch, revision";
    this.take =
        "UPDATE "
            + tables.lease()
            + " SET owner = ?, epoch = epoch + 1, expires_at = "
            + until
            + " WHERE shard IN (SELECT shard FROM "
            + tables.lease()
            + " WHERE owner IS NULL OR expires_at < clock_timestamp() ORDER BY random() LIMIT ? FOR"
            + " UPDATE SKIP LOCKED) RETURNING shard, epoch, revision";
    this.giveUp =
        "UPDATE "
            + tables.lease()
            + " SET owner = NULL, expires_at = NULL WHERE owner = ? AND shard = ANY (?::smallint[])";
  }

  /**
   * A row.
   *
   * @param mine whether this relay is its owner
   * @param free whether anyone may take it
   */
  record Entry(int shard, boolean mine, boolean free, long epoch, long revision) {}

  void heartbeat(Connection connection, double seconds) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(heartbeat)) {
      statement.setObject(1, owner);
      statement.setString(2, name);
      statement.setDouble(3, seconds);
      statement.executeUpdate();
    }
  }

  void forgetDeadRelays(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(forgetRelays);
    }
  }

  void leave(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(leave)) {
      statement.setObject(1, owner);
      statement.executeUpdate();
    }
  }

  List<Entry> look(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(look)) {
      List<Entry> entries = new ArrayList<>();
      while (rows.next()) {
        entries.add(
            new Entry(
                rows.getInt(1),
                owner.equals(rows.getObject(2, UUID.class)),
                rows.getBoolean(5),
                rows.getLong(3),
                rows.getLong(4)));
      }
      return entries;
    }
  }

  int relays(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery(relays)) {
      count.next();
      return count.getInt(1);
    }
  }

  /** Renews all leases of this relay. */
  List<Lease> renew(Connection connection, double seconds, long validUntil) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(renew)) {
      statement.setDouble(1, seconds);
      statement.setObject(2, owner);
      return leases(statement, validUntil);
    }
  }

  /** Takes so many free leases at most. */
  List<Lease> take(Connection connection, int most, double seconds, long validUntil)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(take)) {
      statement.setObject(1, owner);
      statement.setDouble(2, seconds);
      statement.setInt(3, most);
      return leases(statement, validUntil);
    }
  }

  void giveUp(Connection connection, Collection<Integer> shards) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(giveUp)) {
      statement.setObject(1, owner);
      statement.setArray(
          2,
          connection.createArrayOf(
              "int2", shards.stream().map(Integer::shortValue).toArray(Short[]::new)));
      statement.executeUpdate();
    }
  }

  private static List<Lease> leases(PreparedStatement statement, long validUntil)
      throws SQLException {
    List<Lease> leases = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        leases.add(new Lease(rows.getInt(1), rows.getLong(2), rows.getLong(3), validUntil));
      }
    }
    return leases;
  }
}
