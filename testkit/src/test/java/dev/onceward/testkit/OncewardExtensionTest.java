package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.onceward.testkit.internal.Ports;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class OncewardExtensionTest {
  private static final Map<String, List<Object>> SEEN = new ConcurrentHashMap<>();

  private static List<Object> seen(String what) {
    return SEEN.getOrDefault(what, List.of());
  }

  private static void see(String what, Object value) {
    SEEN.computeIfAbsent(what, w -> new ArrayList<>()).add(value);
  }

  @OncewardTest
  static class First {
    @BeforeAll
    static void once(TestDatabase database) throws SQLException {
      see("database", database);
      execute(database, "CREATE TABLE marks (mark int)");
    }

    @Test
    void one(KafkaServer kafka, PostgresServer postgres, TestDatabase database, TestTopics topics)
        throws SQLException {
      see("kafka", kafka);
      see("postgres", postgres);
      see("database", database);
      see("topic", topics.create("orders", 1));
      see("group", topics.group("billing"));
      execute(database, "INSERT INTO marks VALUES (1)");
    }

    @Nested
    class Inner {
      @Test
      void two(KafkaServer kafka, TestDatabase database, TestTopics topics) {
        see("kafka", kafka);
        see("database", database);
        see("topic", topics.create("orders", 1));
      }
    }
  }

  @OncewardTest
  static class Second {
    private final PostgresServer postgres;

    Second(PostgresServer postgres) {
      this.postgres = postgres;
    }

    @Test
    void three(TestDatabase database) throws SQLException {
      see("postgres", postgres);
      see("other database", database);
      execute(database, "CREATE TABLE marks (mark int)");
    }
  }

  @OncewardTest
  static class Unused {
    @Test
    void nothing() {
      see("nothing", true);
    }
  }

  private static void execute(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static SummaryGeneratingListener run(Class<?>... classes) {
    SEEN.clear();
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
    for (Class<?> one : classes) {
      request.selectors(selectClass(one));
    }
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherDiscoveryRequest built = request.build();
    LauncherFactory.create().execute(built, listener);
    assertThat(listener.getSummary().getFailures()).isEmpty();
    return listener;
  }

  @Test
  void serversAreSharedByTheRunDatabasesByTheClassAndTopicsByNobody() {
    SummaryGeneratingListener result = run(First.class, Second.class);

    assertThat(result.getSummary().getTestsSucceededCount()).isEqualTo(3);
    assertThat(seen("kafka")).hasSize(2).containsOnly(seen("kafka").get(0));
    assertThat(seen("postgres")).hasSize(2).containsOnly(seen("postgres").get(0));
    assertThat(seen("database")).hasSize(3).containsOnly(seen("database").get(0));
    assertThat(seen("other database")).doesNotContain(seen("database").get(0));
    assertThat(seen("topic")).hasSize(2).doesNotHaveDuplicates();
    assertThat(seen("group").get(0)).asString().startsWith("billing-");
  }

  @Test
  void serversEndWithTheRun() {
    run(Second.class);
    PostgresServer postgres = (PostgresServer) seen("postgres").get(0);
    assertThat(postgres.isRunning()).isFalse();
    assertThat(Ports.isFree(postgres.port())).isTrue();
  }

  @Test
  void nothingStartsThatNoTestAsksFor() {
    long before = ProcessHandle.current().children().count();
    run(Unused.class);
    assertThat(SEEN).containsOnlyKeys("nothing");
    assertThat(ProcessHandle.current().children().count()).isEqualTo(before);
  }
}
