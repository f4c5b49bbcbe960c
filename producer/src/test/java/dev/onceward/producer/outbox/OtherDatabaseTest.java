package dev.onceward.producer.outbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** The outbox on a database that it is not made for. */
class OtherDatabaseTest {
  private static final String REFUSAL =
      "the outbox needs PostgreSQL 14 or later; this data source leads to H2";

  private final JdbcDataSource h2 = new JdbcDataSource();

  OtherDatabaseTest() {
    h2.setURL("jdbc:h2:mem:outbox");
  }

  @Test
  void theDatabaseIsNamedInsteadOfAnErrorInTheStatements() {
    assertThatThrownBy(OutboxAdmin.on(h2)::createSchema)
        .isInstanceOf(OutboxUnavailableException.class)
        .hasMessage(REFUSAL);
    assertThatThrownBy(OutboxAdmin.on(h2)::verify)
        .isInstanceOf(OutboxUnavailableException.class)
        .hasMessage(REFUSAL);
    try (OutboxRelay relay =
        OutboxRelay.builder(Map.of("bootstrap.servers", "127.0.0.1:1"), h2).build()) {
      assertThatThrownBy(relay::start)
          .isInstanceOf(OutboxUnavailableException.class)
          .hasMessage(REFUSAL);
    }
  }
}
