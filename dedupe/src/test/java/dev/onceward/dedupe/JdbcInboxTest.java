package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JdbcInboxTest extends InboxContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  JdbcInboxTest() {
    super(DATABASE);
  }

  @Test
  void aPlainTransactionNeedsNoFirstStatement() throws Exception {
    JdbcInbox bare =
        JdbcInbox.builder(DATABASE.plain())
            .lockTimeout(Duration.ZERO)
            .idleTimeout(Duration.ZERO)
            .build();
    InboxEntry entry = event("e1").withIdempotency(InboxEntry.Idempotency.NONE);

    assertThat(bare.process(entry, tx -> {})).isEqualTo(APPLIED);
    assertThat(bare.process(entry, charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void aFailingRollbackIsAttachedToWhatTheEffectThrows() {
    IllegalStateException failure = new IllegalStateException("no");

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      int backend = tx.unwrap(org.postgresql.PGConnection.class).getBackendPID();
                      DATABASE.execute("SELECT pg_terminate_backend(" + backend + ", 5000)");
                      throw failure;
                    }))
        .isSameAs(failure)
        .satisfies(t -> assertThat(t.getSuppressed()).hasOnlyElementsOfType(SQLException.class));
    assertThat(failure.getSuppressed()).isNotEmpty();
  }

  @Test
  void theDedupeRowIsWrittenInTheEffectsOwnTransaction() throws Exception {
    inbox.process(
        event("e1"),
        tx -> {
          assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event"))
              .as("seen from outside")
              .isZero();
          Events.insert(tx, "alice", 10);
        });

    assertThat(
            DATABASE.number(
                "SELECT count(*) FROM ledger l JOIN onceward_processed_event p ON l.xmin = p.xmin"))
        .isOne();
  }

  @Test
  void anIdThatIsNotTextIsRefused() {
    assertThatThrownBy(() -> inbox.process(event("\ud800"), charge("alice", 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unpaired surrogate");
  }

  @Test
  void malformedEntriesAreRefusedWithTheReason() {
    assertThatThrownBy(() -> event(" ", "e1")).hasMessageContaining("handlerId");
    assertThatThrownBy(() -> event("a\nb", "e1")).hasMessageContaining("control characters");
    assertThatThrownBy(() -> event("x".repeat(201), "e1")).hasMessageContaining("200");
    assertThatThrownBy(() -> event("billing", "")).hasMessageContaining("eventId is empty");
  }
}
