package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.BeyondWindow;
import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.TransactionIsolation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an inbox. Immutable.
 *
 * @param dataSource where connections come from
 * @param dataSourceName what messages call it
 * @param tables where the tables are
 * @param lockTimeout how long an effect's transaction waits for a lock; zero: the session's setting
 * @param idleTimeout how long an effect's transaction may idle; zero: the session's setting
 * @param isolation the isolation level; null: the data source's
 * @param retry when and how often transactions are repeated
 * @param boundSettings the names of settings that entries may bind, and that must not leak
 * @param buckets how dedupe rows are sliced by time
 * @param window how long events are remembered; empty: for ever
 * @param beyondWindow what becomes of older ones
 * @param database which database it is; null: to be found out
 * @param demands what must be kept of it
 */
public record InboxConfig(
    DataSource dataSource,
    String dataSourceName,
    TableNames tables,
    Duration lockTimeout,
    Duration idleTimeout,
    @Nullable TransactionIsolation isolation,
    RetryPolicy retry,
    List<String> boundSettings,
    Buckets buckets,
    Optional<Duration> window,
    BeyondWindow beyondWindow,
    @Nullable Database database,
    Demands demands) {

  private static final int MOST_BUCKETS = 400;

  /**
   * Checks that the window and the buckets go together.
   *
   * @throws IllegalArgumentException if not
   */
  public InboxConfig {
    Duration width = Duration.ofSeconds(buckets.seconds());
    window.ifPresent(
        time -> {
          if (time.compareTo(width) < 0 || time.compareTo(width.multipliedBy(MOST_BUCKETS)) > 0) {
            throw new IllegalArgumentException(
                "window must be 1 to 400 times the bucketWidth of " + width + ": " + time);
          }
        });
  }
}
