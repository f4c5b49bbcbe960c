package dev.onceward.producer.outbox;

import static java.util.Objects.requireNonNull;

import dev.onceward.dedupe.internal.TableNames;
import dev.onceward.producer.internal.outbox.Checks;
import dev.onceward.producer.internal.outbox.DeadRows;
import dev.onceward.producer.internal.outbox.OutboxTables;
import dev.onceward.producer.internal.outbox.Schema;
import dev.onceward.producer.internal.outbox.Session;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The outbox for those who run it: creates its tables, checks them, and lists, releases and
 * discards dead rows. Works beside running relays. Immutable and thread-safe; it holds no
 * connection.
 *
 * <p>Every method throws {@link OutboxUnavailableException} when the database cannot be reached or
 * refuses.
 */
public final class OutboxAdmin {
  private final DataSource dataSource;
  private final OutboxTables tables;

  private OutboxAdmin(DataSource dataSource, OutboxTables tables) {
    this.dataSource = dataSource;
    this.tables = tables;
  }

  /** For the tables of the default names on the connections' search path. */
  public static OutboxAdmin on(DataSource dataSource) {
    return on(dataSource, null, TableNames.DEFAULT_PREFIX);
  }

  /**
   * For tables elsewhere.
   *
   * @param schema the schema; null for the connections' search path
   * @param tablePrefix what the table names start with
   * @throws IllegalArgumentException if the schema or the prefix cannot be one
   */
  public static OutboxAdmin on(DataSource dataSource, @Nullable String schema, String tablePrefix) {
    return new OutboxAdmin(
        requireNonNull(dataSource, "dataSource"),
        new OutboxTables(new TableNames(schema, requireNonNull(tablePrefix, "tablePrefix"))));
  }

  /**
   * Creates what is missing of the outbox's tables, and the schema when one was named. Harmless
   * when all is there, and when several processes call it at once. It runs the script {@code
   * dev/onceward/producer/outbox/postgresql.sql} of this jar, which can be run by a migration tool
   * instead.
   */
  public void createSchema() {
    boolean unused = run("create the outbox's tables", new Schema(tables)::create);
  }

  /**
   * Checks the tables as a relay does when it starts: they exist, the sequence has a cache of 1,
   * the index is there, and the user has the privileges. Changes nothing.
   *
   * @throws OutboxUnavailableException naming everything that is wrong, in one line
   */
  public void verify() {
    boolean unused =
        run(
            "check the outbox's tables",
            session -> {
              new Checks(tables).run(session);
              return true;
            });
  }

  /**
   * The dead rows, oldest first.
   *
   * @param limit how many at most; at least 1
   */
  public List<DeadRow> deadRows(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    return run("list dead rows", session -> new DeadRows(tables).list(session, limit));
  }

  /**
   * Puts a dead row back, to be tried again, and with it all rows of its key that wait behind it.
   * The relay that sends them notices within a second, and keeps their order.
   *
   * @param seq the row's {@link DeadRow#seq}
   * @return false when there is no such dead row (any more)
   */
  public boolean release(long seq) {
    return run("release a dead row", session -> new DeadRows(tables).release(session, seq));
  }

  /**
   * Releases all dead rows of a topic, for example once the topic exists or the relay may write to
   * it.
   *
   * @return how many dead rows went back, without those that waited behind them
   */
  public int releaseAll(String topic) {
    requireNonNull(topic, "topic");
    return run("release dead rows", session -> new DeadRows(tables).releaseAll(session, topic));
  }

  /**
   * Deletes a dead row, which is never sent then, and puts back the rows that wait behind it. What
   * was discarded (event id, topic and the hash of the key) is logged as a warning.
   *
   * @param seq the row's {@link DeadRow#seq}
   * @return false when there is no such dead row (any more)
   */
  public boolean discard(long seq) {
    return run("discard a dead row", session -> new DeadRows(tables).discard(session, seq));
  }

  private <T> T run(String what, Session.Work<T> work) {
    try (Session session = new Session(dataSource)) {
      return session.explained(what, work);
    }
  }
}
