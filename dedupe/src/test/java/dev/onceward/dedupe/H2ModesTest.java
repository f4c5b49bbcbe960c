package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.GAP;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 speaks as other databases do, and spells names as it is told. */
class H2ModesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        ";MODE=STRICT",
        ";MODE=LEGACY",
        ";MODE=DB2",
        ";MODE=Derby",
        ";MODE=HSQLDB",
        ";MODE=MariaDB",
        ";MODE=MSSQLServer",
        ";MODE=MySQL",
        ";MODE=Oracle",
        ";MODE=PostgreSQL",
        ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
        ";MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
        ";DATABASE_TO_UPPER=FALSE",
        ";IGNORECASE=TRUE"
      })
  void theInboxWorksInAnyOfThem(String options) throws Exception {
    H2Database database = new H2Database(options);
    try {
      JdbcInbox inbox = JdbcInbox.on(database.plain());
      inbox.createSchema();
      inbox.createSchema();
      inbox.verify(Duration.ofSeconds(30));
      inbox.maintain();
      Fence fence = inbox.takeFence(new FenceScope("billing", "orders", "one", 0));
      List<InboxEntry> entries =
          List.of(
              event("e1", "k", 2).withFence(fence),
              event("e2", "k", 1),
              event("e3").withVersion(EntityVersion.next("orders", "j", 2)),
              event("e4").atOffset(fence, 7));

      assertThat(inbox.processAll(entries, (tx, fresh) -> {}))
          .containsExactly(APPLIED, STALE, GAP, APPLIED);
      assertThat(inbox.processAll(entries, (tx, fresh) -> {}))
          .containsExactly(DUPLICATE, STALE, GAP, DUPLICATE);
      assertThat(inbox.process(event("Billing", "e1"), tx -> {})).isEqualTo(APPLIED);
      assertThat(inbox.process(event("billing", "e1"), tx -> {})).isEqualTo(DUPLICATE);
      assertThat(inbox.takeFence(new FenceScope("Billing", "orders", null, 0)).epoch()).isOne();
      assertThat(inbox.takeFence(fence.scope()).nextOffset()).hasValue(8);
      database.fill("onceward_processed_event", 3, 1);
      database.execute("UPDATE onceward_window SET raised_at = 1");
      inbox.maintain();
      assertThat(database.number("SELECT count(*) FROM onceward_processed_event WHERE bucket = 1"))
          .isZero();
    } finally {
      database.close();
    }
  }
}
