package dev.onceward.dedupe.internal.postgres;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.execute;
import static dev.onceward.dedupe.Events.insert;

import dev.onceward.dedupe.CommitRefusedException;
import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.WatchedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;

/** What {@link WithoutDriverTest} runs in a class loader that hides the driver. */
public final class DriverlessScenario implements Function<DataSource, List<String>> {
  private final List<String> seen = new ArrayList<>();

  @Override
  public List<String> apply(DataSource dataSource) {
    try {
      run(dataSource);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return seen;
  }

  private void run(DataSource dataSource) throws Exception {
    WatchedDataSource watched = new WatchedDataSource(dataSource::getConnection);
    JdbcInbox inbox = JdbcInbox.on(watched);
    try (Connection connection = dataSource.getConnection()) {
      seen.add("probe " + Probes.on(connection).getClass().getSimpleName());
    }
    seen.add(inbox.process(event("e1", "k", 2), charge("once", 1)).name());
    seen.add(inbox.process(event("e1", "k", 2), charge("twice", 1)).name());
    seen.add(inbox.process(event("e0", "k", 1), charge("stale", 1)).name());
    seen.add(
        inbox
            .process(event("e1").withIdempotency(InboxEntry.Idempotency.NONE), charge("plain", 1))
            .name());
    refused(
        inbox,
        event("e2"),
        tx -> {
          insert(tx, "lost", 1);
          execute(tx, "INSERT INTO state VALUES ('k', 1)");
          swallow(tx, "INSERT INTO state VALUES ('k', 1)");
        },
        "23505",
        "swallowed");
    refused(
        inbox,
        event("e3"),
        tx -> {
          insert(tx, "lost", 1);
          watched.last().rollback();
        },
        "ended under the handler");
    refused(
        inbox,
        event("e4"),
        tx -> {
          insert(tx, "lost", 1);
          watched.last().rollback();
          insert(tx, "of another transaction", 1);
        },
        "ended under the handler");
    seen.add(
        inbox.process(
                event("e5"),
                tx -> {
                  insert(tx, "kept", 1);
                  Savepoint savepoint = tx.setSavepoint();
                  swallow(tx, "SELECT 1/0");
                  tx.rollback(savepoint);
                })
            + " after savepoint");
  }

  private void refused(JdbcInbox inbox, InboxEntry entry, Effect effect, String... parts)
      throws Exception {
    try {
      seen.add(inbox.process(entry, effect).name());
    } catch (CommitRefusedException e) {
      StringBuilder line = new StringBuilder(e.getClass().getSimpleName());
      for (String part : parts) {
        line.append(' ').append(e.toString().contains(part) ? part : e.toString());
      }
      seen.add(line.toString());
    }
  }

  private static void swallow(Connection tx, String sql) {
    try {
      execute(tx, sql);
      throw new AssertionError("did not fail: " + sql);
    } catch (SQLException e) {
      // swallowed, as a careless handler would
    }
  }
}
