package dev.onceward.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Prints the bytes that a dedupe row takes, index included. Not run by default: {@code mvn -pl
 * dedupe -am test -Dtest=RowSizeMeasurement -Dsurefire.failIfNoSpecifiedTests=false}; the number of
 * rows is {@code -DargLine="-Dmeasure.rows=2000000"}.
 */
class RowSizeMeasurement {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int BATCH = 2_000;
  private static final double TARGET = 110;

  @Test
  void bytesPerRow() throws Exception {
    JdbcInbox inbox = JdbcInbox.on(DATABASE.pool(1));
    inbox.createSchema();
    inbox.maintain();
    int rows = Integer.getInteger("measure.rows", 1_000_000);
    java.time.Instant now = java.time.Instant.now();
    long start = System.nanoTime();
    List<InboxEntry> entries = new ArrayList<>(BATCH);
    for (int i = 0; i < rows; i++) {
      // in the order of time over a week, as a consumer gets them
      long age = 7L * 86_400 * (rows - i) / rows;
      entries.add(Events.event("e" + i).withEventTime(now.minusSeconds(age)));
      if (entries.size() == BATCH) {
        inbox.processAll(entries, (tx, fresh) -> assertThat(fresh).hasSize(BATCH));
        entries.clear();
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double heap = size("pg_table_size") / (double) rows;
    double index = size("pg_indexes_size") / (double) rows;
    System.out.printf(
        Locale.ROOT,
        "%,d rows: %.1f bytes each (table %.1f, index %.1f); %,.0f rows/s in batches of %,d%n",
        rows,
        heap + index,
        heap,
        index,
        rows / seconds,
        BATCH);
    assertThat(heap + index).isLessThan(TARGET);
  }

  private static long size(String function) throws SQLException {
    return DATABASE.number(
        "SELECT sum("
            + function
            + "(inhrelid)) FROM pg_inherits"
            + " WHERE inhparent = 'onceward_processed_event'::regclass");
  }
}
