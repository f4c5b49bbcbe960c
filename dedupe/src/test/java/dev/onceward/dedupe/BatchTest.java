package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BatchTest extends BatchContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  BatchTest() {
    super(DATABASE);
  }

  @Test
  void aSwallowedErrorCommitsNothingAndNamesTheBatch() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.processAll(
                    List.of(event("e1"), event("e2")),
                    (tx, fresh) ->
                        assertThatThrownBy(() -> Events.execute(tx, "SELECT 1/0"))
                            .isInstanceOf(SQLException.class)))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("a batch of 2 events beginning with event e1 in handler billing")
        .hasMessageContaining("22012");
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isZero();
  }

  @Test
  void aBatchCostsOneStatementAndMoreOnlyWhenNotAllIsFresh() throws Exception {
    List<Statement> sent = new ArrayList<>();
    JdbcInbox counted =
        JdbcInbox.builder(
                new WatchedDataSource(
                    () -> Connections.recording(DATABASE.plain().getConnection(), sent)))
            // it samples, and would ask the server now and then
            .hygiene(ConnectionHygiene.builder().checkRate(0).build())
            .build();
    counted.process(event("registered"), tx -> {});

    sent.clear();
    counted.process(event("e1", "k", 1), tx -> {});
    assertThat(sent).hasSize(1);
    sent.clear();
    counted.processAll(List.of(event("e2"), event("e3"), event("e4")), (tx, fresh) -> {});
    assertThat(sent).hasSize(1);
    sent.clear();
    counted.processAll(List.of(event("e5", "k", 2), event("e6", "j", 1)), (tx, fresh) -> {});
    assertThat(sent).hasSize(1);
    sent.clear();
    // a further version of an entity in the same batch
    counted.processAll(List.of(event("e10", "k", 3), event("e11", "k", 4)), (tx, fresh) -> {});
    assertThat(sent).hasSize(2);
    sent.clear();
    // a stale one: its version is read and its row taken back, the other one is written already
    counted.processAll(List.of(event("e12", "k", 1), event("e13", "j", 2)), (tx, fresh) -> {});
    assertThat(sent).hasSize(3);
    sent.clear();
    // a duplicate: the versions are read, judged and written
    counted.processAll(List.of(event("e13", "j", 2), event("e14", "j", 3)), (tx, fresh) -> {});
    assertThat(sent).hasSize(3);
    Fence fence = counted.takeFence(new FenceScope("g", "t", null, 0));
    sent.clear();
    counted.processAll(
        List.of(event("e7").withFence(fence), event("e8").withFence(fence)), (tx, fresh) -> {});
    assertThat(sent).hasSize(2);
  }
}
