package dev.onceward.examples.samples;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.OnThreadLeak;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import dev.onceward.dedupe.hygiene.HygienicDataSource;
import dev.onceward.dedupe.hygiene.LeakKind;
import dev.onceward.dedupe.hygiene.PoolSize;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Pieces of code that the guide to connection hygiene shows. */
final class Hygiene {

  private Hygiene() {}

  static JdbcInbox inbox(DataSource pool) {
    return JdbcInbox.builder(pool)
        .hygiene(ConnectionHygiene.builder().watch("app.tenant_id").build())
        .build();
  }

  static DataSource wrap(DataSource pool) {
    return HygienicDataSource.over(
        pool,
        ConnectionHygiene.builder()
            .watch("app.tenant_id")
            .expect("search_path", "app, public")
            .ignoring(LeakKind.jdbcState()) // HikariCP sets these back itself
            .build());
  }

  static void bindTenant(Connection tx, String tenant) throws SQLException {
    try (PreparedStatement bind =
        tx.prepareStatement("SELECT set_config('app.tenant_id', ?, true)")) {
      bind.setString(1, tenant);
      bind.execute();
    }
  }

  static ConnectionHygiene firstSteps() {
    return ConnectionHygiene.builder()
        .onLeak(OnLeak.WARN)
        .listener(violation -> count(violation.leaks().size()))
        .build();
  }

  static void beStrict(EventConsumer.Builder builder, DataSource pool) {
    builder
        .inbox(JdbcInbox.builder(pool).hygiene(ConnectionHygiene.strict()).build())
        .onThreadLeak(OnThreadLeak.FAIL);
  }

  static void watchThreadLocal(EventConsumer.Builder builder, ThreadLocal<String> tenant) {
    builder.threadLocal("tenant", tenant);
  }

  static int poolSize(DataSource dataSource) throws SQLException {
    // 4 instances, one more while a new version is rolled out, 10 connections for others
    return PoolSize.onServer(dataSource, 10, 4, 1);
  }

  private static void count(int leaks) {
    System.out.println(leaks);
  }
}
