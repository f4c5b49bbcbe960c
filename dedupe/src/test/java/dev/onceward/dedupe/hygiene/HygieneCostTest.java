package dev.onceward.dedupe.hygiene;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.Events;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.dedupe.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Prints what hygiene costs; on demand only. The ways take turns, so that whatever else the machine
 * does hits all alike; the median of the rounds counts.
 */
@EnabledIfSystemProperty(named = "onceward.measure", matches = "true")
class HygieneCostTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int ROUNDS = 25;
  private static final int CALLS = 400;

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  interface Call {
    void run() throws Exception;
  }

  private static Map<String, ConnectionHygiene> ways() {
    Map<String, ConnectionHygiene> ways = new LinkedHashMap<>();
    ways.put("off", ConnectionHygiene.off());
    ways.put("cheap", ConnectionHygiene.builder().checkRate(0).build());
    ways.put("sampled 1 %", ConnectionHygiene.builder().build());
    ways.put("watching", ConnectionHygiene.builder().watch(Leaks.TENANT).build());
    ways.put("always", ConnectionHygiene.builder().watch(Leaks.TENANT).checkRate(1).build());
    return ways;
  }

  @Test
  void anEffectInTheInbox() throws Exception {
    try (HikariDataSource pool = DATABASE.pool(1)) {
      AtomicLong id = new AtomicLong();
      Map<String, Call> calls = new LinkedHashMap<>();
      ways()
          .forEach(
              (name, hygiene) -> {
                JdbcInbox inbox = JdbcInbox.builder(pool).hygiene(hygiene).build();
                calls.put(
                    name,
                    () ->
                        inbox.process(
                            event("e" + id.incrementAndGet()), Events.charge("alice", 1)));
              });
      measure("an effect in the inbox (dedupe row and one insert, fsync off)", calls);
    }
  }

  @Test
  void aQueryOnABorrowedConnection() throws Exception {
    try (HikariDataSource pool = DATABASE.pool(1)) {
      Map<String, Call> calls = new LinkedHashMap<>();
      ways()
          .forEach(
              (name, hygiene) -> {
                DataSource dataSource = HygienicDataSource.over(pool, hygiene);
                calls.put(name, () -> query(dataSource));
              });
      measure("borrow, one query by primary key, give back", calls);
    }
  }

  private static void query(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT amount FROM state WHERE name = ?")) {
      statement.setString(1, "k");
      try (ResultSet rows = statement.executeQuery()) {
        assertThat(rows.next()).isFalse();
      }
    }
  }

  private static void measure(String what, Map<String, Call> calls) throws Exception {
    Map<String, List<Double>> micros = new LinkedHashMap<>();
    for (int round = -3; round < ROUNDS; round++) {
      for (Map.Entry<String, Call> call : calls.entrySet()) {
        long begin = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
          call.getValue().run();
        }
        double each = (System.nanoTime() - begin) / 1e3 / CALLS;
        if (round >= 0) { // the first ones warm up
          micros.computeIfAbsent(call.getKey(), name -> new ArrayList<>()).add(each);
        }
      }
    }
    StringBuilder lines = new StringBuilder(what + ", median of " + ROUNDS + " rounds:\n");
    double base = 0;
    for (Map.Entry<String, List<Double>> way : micros.entrySet()) {
      double median = way.getValue().stream().sorted().toList().get(ROUNDS / 2);
      base = base == 0 ? median : base;
      lines.append(
          String.format(
              Locale.ROOT, "  %-12s %8.1f us  %+7.1f us%n", way.getKey(), median, median - base));
    }
    System.out.println(lines);
  }
}
