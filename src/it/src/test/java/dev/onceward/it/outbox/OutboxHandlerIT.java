package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler takes effect and appends events in the transaction that its inbox lends it. */
@EngineTest
class OutboxHandlerIT {

  private final OutboxScene outbox;

  OutboxHandlerIT(KafkaServer kafka, TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
  }

  @Test
  void effectAndEventsCommitTogetherOrNotAtAll() throws Exception {
    String in = outbox.scene().topic("in", 1);
    String out = outbox.scene().topic("out", 1);
    outbox.createEntities(1);
    JdbcInbox inbox = JdbcInbox.on(outbox.dataSource());
    inbox.createSchema();
    AtomicInteger attempts = new AtomicInteger();
    EventConsumer consumer =
        outbox
            .scene()
            .start(
                outbox
                    .scene()
                    .consumer(
                        GroupProtocol.CONSUMER,
                        LambdaHandlers.of("forward", in)
                            .on(
                                Scene.NOTED,
                                Note.class,
                                (note, delivery, tx) -> {
                                  Event changed = OutboxScene.changed(tx, "key-0");
                                  Event caused =
                                      changed.toBuilder().causedBy(delivery.event()).build();
                                  outbox.outbox().append(tx, out, caused);
                                  outbox
                                      .outbox()
                                      .appendAll(
                                          tx,
                                          out,
                                          List.of(
                                              OutboxScene.changed(tx, "key-0"),
                                              OutboxScene.changed(tx, "key-0")));
                                  outbox
                                      .outbox()
                                      .appendSerialized(tx, out, OutboxScene.changed(tx, "key-0"));
                                  if (attempts.incrementAndGet() == 1) {
                                    throw new IllegalStateException("after all of it");
                                  }
                                },
                                Guarantee.IDEMPOTENT))
                    .inbox(inbox));
    outbox.scene().publisher().send(Scene.record(in, 0, Scene.note("n", "note-1")));
    eventually().until(() -> consumer.counts().applied() == 1);
    outbox.start(outbox.relay());

    Occurrences found = outbox.awaitEmpty(out);
    assertThat(attempts).hasValue(2);
    assertThat(found.versions("key-0")).containsExactly(1L, 2L, 3L, 4L);
    assertThat(found.duplicates()).isEmpty();
    assertThat(outbox.changes()).isEqualTo(4);
    Event first = EventReader.standard().read(outbox.awaitRecords(out, 4).get(0));
    assertThat(first.causationId()).contains("note-1");
  }
}
