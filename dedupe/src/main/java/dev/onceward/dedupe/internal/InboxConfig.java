package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.TransactionIsolation;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an inbox. Immutable.
 *
 * @param dataSource where connections come from
 * @param dataSourceName what messages call it
 * @param tables where the tables are
 * @param lockTimeout how long an effect's transaction waits for a lock; zero: the session's setting
 * @param isolation the isolation level; null: the data source's
 * @param retry when and how often transactions are repeated
 */
public record InboxConfig(
    DataSource dataSource,
    String dataSourceName,
    TableNames tables,
    Duration lockTimeout,
    @Nullable TransactionIsolation isolation,
    RetryPolicy retry) {}
