package dev.onceward.it.guarantee;

import dev.onceward.it.scene.Ledger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;

/**
 * Exactly one effect: each event of an idempotent handler that was published and succeeds leaves
 * exactly one row in the ledger, however often it was delivered; each that was given up leaves
 * none.
 */
final class OneEffect implements Guarantee {

  private static final int ROWS_AT_ONCE = 10_000;

  private final Ledger ledger;
  private final Published published;
  private long rows;
  private int doubles;
  private int lost;

  OneEffect(Ledger ledger, Published published) {
    this.ledger = ledger;
    this.published = published;
  }

  @Override
  public void check(Findings findings) {
    BitSet owed = published.effects();
    BitSet there = new BitSet();
    try (Connection connection = ledger.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement query =
          connection.prepareStatement("SELECT event_id FROM ledger WHERE handler = ?")) {
        query.setFetchSize(ROWS_AT_ONCE);
        query.setString(1, Behaviour.HANDLER);
        try (ResultSet result = query.executeQuery()) {
          while (result.next()) {
            row(result.getString(1), owed, there, findings);
          }
        }
      }
      connection.rollback();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    owed.andNot(there);
    owed.stream().forEach(number -> findings.breach(this, "event " + number + " has no effect"));
    lost = owed.cardinality();
  }

  private void row(String eventId, BitSet owed, BitSet there, Findings findings) {
    int number = Integer.parseInt(eventId);
    rows++;
    if (there.get(number)) {
      doubles++;
      findings.breach(this, "event " + number + " took effect again");
    }
    if (!owed.get(number)) {
      findings.breach(this, "event " + number + " must have no effect and has one");
    }
    there.set(number);
  }

  long rows() {
    return rows;
  }

  int doubles() {
    return doubles;
  }

  int lost() {
    return lost;
  }
}
