package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.ConsumerStartException;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.Fence;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a consumer ends when it is asked to, at whatever moment and by whomever. */
@EngineTest
class StopIT {

  private final Scene scene;
  private final DataSource database;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();

  StopIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    this.database = database.dataSource();
    scene.beforeClose(gate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void closeDrainsAndCommitsSoThatNothingIsRedelivered(GroupProtocol protocol) throws Exception {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, 100, 20);
    scene.publishNotes(topic, 1, 100, 20);
    EventConsumer consumer = start(protocol, topic, "first");
    eventually().until(() -> consumer.counts().applied() > 20);
    consumer.close();
    int handled = journal.begun().size();

    assertThat(consumer.health().state()).isEqualTo(State.STOPPED);
    assertThat(consumer.health().live()).isFalse();
    assertThat(journal.running()).isZero();
    assertThat(handled).isBetween(21, 199);
    // what is done above the committed offsets is in their notes
    assertThat(scene.committedInAll()).isBetween(1L, (long) handled);
    consumer.awaitStop();

    EventConsumer next = start(protocol, topic, "second");
    eventually().until(() -> next.counts().applied() == 200 - handled);
    next.close();
    journal.assertEachHandledOnce(200);
    journal.assertOwnersDoNotOverlap();
    assertThat(scene.committedInAll()).isEqualTo(200);
  }

  private EventConsumer start(GroupProtocol protocol, String topic, String member) {
    return scene.start(
        scene
            .consumer(
                protocol,
                Scene.notes(topic, journal.of(member, (note, delivery) -> Thread.sleep(15))))
            .concurrency(4)
            // only the stop commits
            .commitInterval(Duration.ofHours(1)));
  }

  @Test
  void aHandlerThatExceedsTheDrainBudgetIsInterruptedAndItsEventStays() {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 2, 2);
    AtomicBoolean interrupted = new AtomicBoolean();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        (note, delivery) -> {
                          if (delivery.offset() == 1) {
                            try {
                              gate.await();
                            } catch (InterruptedException e) {
                              interrupted.set(true);
                              throw e;
                            }
                          }
                        }))
                .drainBudget(Duration.ofMillis(300)));
    eventually().until(() -> consumer.counts().applied() == 1);
    consumer.close();

    eventually().untilTrue(interrupted);
    assertThat(scene.committed(topic, 0)).isEqualTo(1);
    assertThat(consumer.counts().applied()).isEqualTo(1);
    assertThat(consumer.health().state()).isEqualTo(State.STOPPED);
  }

  @Test
  void aStopDoesNotWaitForARetryThatIsFarOff() {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 3, 3);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              if (delivery.offset() == 1) {
                                throw new IOException("later");
                              }
                            })))
                .drainBudget(Duration.ofMinutes(2))
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAge(Duration.ofDays(30))
                        .initialDelay(Duration.ofDays(1))
                        .maxDelay(Duration.ofDays(1))
                        .build()));
    eventually().until(() -> journal.runs().size() == 3);
    long begin = System.nanoTime();
    consumer.close();

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(1));
    assertThat(scene.committed(topic, 0)).isEqualTo(1);
  }

  @Test
  void closeFromAHandlerReturnsAndTheEventIsDone() throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 5, 1);
    CompletableFuture<EventConsumer> self = new CompletableFuture<>();
    AtomicBoolean undisturbed = new AtomicBoolean();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              if (delivery.offset() == 2) {
                                self.get().close();
                                undisturbed.set(!Thread.currentThread().isInterrupted());
                              }
                            })))
                .drainBudget(Duration.ofMinutes(2)));
    self.complete(consumer);
    consumer.awaitStop();

    assertThat(undisturbed).isTrue();
    // what began before the poll thread saw the request is done too
    assertThat(journal.runs()).hasSizeBetween(3, 5);
    assertThat(scene.committed(topic, 0)).isEqualTo(journal.runs().size());
    assertThat(consumer.health().state()).isEqualTo(State.STOPPED);
  }

  @Test
  void closingTwiceAndFromManyThreadsIsClosingOnce() {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 10, 10);
    EventConsumer consumer = start(GroupProtocol.CONSUMER, topic, "only");
    eventually().until(() -> consumer.counts().applied() > 0);
    CompletableFuture.allOf(
            Scene.inBackground(consumer::close),
            Scene.inBackground(consumer::close),
            Scene.inBackground(consumer::stop))
        .join();
    consumer.close();

    assertThat(consumer.health().state()).isEqualTo(State.STOPPED);
    assertThatThrownBy(consumer::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("build a new one");
  }

  @Test
  void aConsumerThatWasNeverStartedCanBeClosedAndThenNotStarted() {
    String topic = scene.topic(1);
    EventConsumer consumer =
        scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, (note, delivery) -> {})).build();
    assertThatThrownBy(consumer::awaitStop)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not started");
    assertThat(consumer.health().state()).isEqualTo(State.NEW);
    consumer.close();
    consumer.close();

    assertThat(consumer.health().state()).isEqualTo(State.STOPPED);
    assertThatThrownBy(consumer::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("build a new one");
  }

  @Test
  void closeDuringStartEndsTheStartAndNoConsumerIsLeftBehind() {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 5, 5);
    try (Ledger ledger = Ledger.in(database)) {
      SlowToVerify inbox = new SlowToVerify(JdbcInbox.on(ledger.dataSource()), gate);
      EventConsumer consumer =
          scene.consumer(GroupProtocol.CONSUMER, ledger.billing(topic)).inbox(inbox).build();
      CompletableFuture<Void> start = Scene.inBackground(consumer::start);
      eventually().until(() -> inbox.verifying.getCount() == 0);
      CompletableFuture<Void> close = Scene.inBackground(consumer::close);
      eventually().until(() -> consumer.health().state() == State.STOPPED);
      assertThat(start).isNotDone();
      gate.open();

      assertThatThrownBy(start::join)
          .hasCauseInstanceOf(ConsumerStartException.class)
          .hasMessageContaining("stopped while it started");
      close.join();
      assertThat(ledger.rows("billing")).isEmpty();
      assertThat(scene.committed(topic, 0)).isEqualTo(-1);
    }
  }

  /** A real inbox behind a gate. */
  private static final class SlowToVerify implements Inbox {
    private final JdbcInbox inbox;
    private final Gate gate;
    private final CountDownLatch verifying = new CountDownLatch(1);

    SlowToVerify(JdbcInbox inbox, Gate gate) {
      this.inbox = inbox;
      this.gate = gate;
    }

    @Override
    public InboxOutcome process(InboxEntry entry, Effect effect) throws Exception {
      return inbox.process(entry, effect);
    }

    @Override
    public List<InboxOutcome> processAll(List<InboxEntry> entries, BatchEffect effect)
        throws Exception {
      return inbox.processAll(entries, effect);
    }

    @Override
    public Fence takeFence(FenceScope scope) {
      return inbox.takeFence(scope);
    }

    @Override
    public Optional<Duration> window() {
      return inbox.window();
    }

    @Override
    public void maintain() {
      inbox.maintain();
    }

    @Override
    public void verify(Duration timeout) {
      verifying.countDown();
      gate.awaitStubbornly();
      inbox.verify(timeout);
    }
  }
}
