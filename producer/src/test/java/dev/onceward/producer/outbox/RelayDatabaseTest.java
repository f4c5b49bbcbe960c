package dev.onceward.producer.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.producer.outbox.RelayHealth.State;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A relay whose database, or the way to it, does what no database should. */
class RelayDatabaseTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Duration LONG = Duration.ofSeconds(60);

  @Test
  void anErrorOnTheWayToTheDatabaseFailsTheRelayLoudly() {
    OutboxAdmin.on(DATABASE.dataSource(), "broken", "onceward_").createSchema();
    AtomicBoolean broken = new AtomicBoolean();
    try (OutboxRelay relay = relay(breaking(broken), "broken")) {
      relay.start();
      await().atMost(LONG).until(() -> relay.health().shards() > 0);
      broken.set(true);
      await().atMost(LONG).until(() -> relay.health().state() == State.FAILED);
      assertThat(relay.health().failure()).containsInstanceOf(NoClassDefFoundError.class);
      assertThat(relay.health().live()).isFalse();
    }
  }

  @Test
  void whoWaitsForALockOfTheTablesSaysSo() throws SQLException {
    OutboxAdmin.on(DATABASE.dataSource(), "locked", "onceward_").createSchema();
    try (OutboxRelay relay = relay(DATABASE.dataSource(), "locked")) {
      relay.start();
      await().atMost(LONG).until(() -> relay.health().shards() > 0);
      try (Connection locking = DATABASE.transaction();
          Statement statement = locking.createStatement()) {
        statement.execute("LOCK TABLE locked.onceward_outbox IN ACCESS EXCLUSIVE MODE");
        await()
            .atMost(LONG)
            .untilAsserted(
                () ->
                    assertThat(relay.health().problems())
                        .anySatisfy(
                            line -> assertThat(line).startsWith("reading").contains("lock")));
        locking.rollback();
      }
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(relay.health().problems())
                      .noneMatch(line -> line.startsWith("reading")));
    }
  }

  private static OutboxRelay relay(DataSource dataSource, String schema) {
    return OutboxRelay.builder(Map.of("bootstrap.servers", "localhost:1"), dataSource)
        .schema(schema)
        .closeTimeout(Duration.ZERO)
        .build();
  }

  /** Connections that prepare nothing once they are broken. */
  private static DataSource breaking(AtomicBoolean broken) {
    DataSource real = DATABASE.dataSource();
    return proxy(
        DataSource.class,
        real,
        broken,
        connection -> proxy(Connection.class, connection, broken, any -> any));
  }

  private interface Wrap {
    Object wrap(Object result);
  }

  private static <T> T proxy(Class<T> type, Object real, AtomicBoolean broken, Wrap wrap) {
    return type.cast(
        Proxy.newProxyInstance(
            RelayDatabaseTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              if (broken.get() && method.getName().equals("prepareStatement")) {
                throw new NoClassDefFoundError("of the test");
              }
              try {
                Object result = method.invoke(real, args);
                return result instanceof Connection ? wrap.wrap(result) : result;
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            }));
  }
}
