package dev.onceward.consumer.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Lease;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeaseLostException;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.handler.HandlerScanner;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.dedupe.Fence;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.EventWriter;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.tracing.EventTracing;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class OnceInTransactionTest {

  /** What the database does with a transaction whose effect has returned. */
  private interface Commit {
    void run() throws Exception;
  }

  private final List<String> committed = new ArrayList<>();
  private final List<String> handled = new ArrayList<>();
  private final List<Interceptor> interceptors = new ArrayList<>();
  private final Deque<Commit> commits = new ArrayDeque<>();
  private final RecordDelivery delivery = delivery("com.acme.once.v1");
  private final HandlerLease lease = delivery.lease();
  private boolean duplicate;
  private Commit handler = () -> {};

  @EventHandlers(id = "orders", topics = "topic")
  final class Orders {
    @Handles("com.acme.once.v1")
    @Idempotent
    void once(Event event, Lease lease) throws Exception {
      handled.add(event.getId());
      handler.run();
    }

    @Handles("com.acme.free.v1")
    void free(Event event) throws Exception {
      handled.add(event.getId());
      handler.run();
    }
  }

  @Test
  void anEffectIsCommittedUnderALeaseThatIsHeld() throws Exception {
    assertThat(handle(delivery)).isEqualTo(Outcome.APPLIED);
    assertThat(committed).containsExactly("e-1");
    assertThat(lease.isLost()).isFalse();
  }

  @Test
  void nothingIsCommittedOnceTheLeaseIsLost() {
    handler = () -> assertThat(lease.lose(LeaseLoss.EXPIRED)).isTrue();
    assertThatThrownBy(() -> handle(delivery))
        .isInstanceOfSatisfying(
            LeaseLostException.class, e -> assertThat(e.loss()).isEqualTo(LeaseLoss.EXPIRED))
        .hasMessageContaining("topic-0@1");
    assertThat(handled).hasSize(1);
    assertThat(committed).isEmpty();
  }

  @Test
  void aHandlerDoesNotStartWhenTheLeaseWasLostWhileItWaitedForTheDatabase() {
    lease.lose(LeaseLoss.REVOKED);
    assertThatThrownBy(() -> handle(delivery)).isInstanceOf(LeaseLostException.class);
    assertThat(handled).isEmpty();
  }

  @Test
  void aLossThatComesDuringTheCommitIsRefusedAndTheOutcomeStands() throws Exception {
    CompletableFuture<LeaseLoss> lost = lease.lost().toCompletableFuture();
    commits.add(
        () -> {
          assertThat(lease.lose(LeaseLoss.EXPIRED)).isFalse();
          assertThat(lease.lose(LeaseLoss.REVOKED)).isFalse();
        });
    assertThat(handle(delivery)).isEqualTo(Outcome.APPLIED);
    assertThat(lease.lose(LeaseLoss.REVOKED)).isFalse();
    lease.end();
    assertThat(committed).containsExactly("e-1");
    assertThat(lease.isLost()).isFalse();
    assertThat(lost).isNotDone();
  }

  @Test
  void aRepeatedTransactionTakesTheRightToCommitAnew() throws Exception {
    commits.add(OnceInTransactionTest::conflict);
    commits.add(OnceInTransactionTest::conflict);
    assertThat(handle(delivery)).isEqualTo(Outcome.APPLIED);
    assertThat(handled).hasSize(3);
    assertThat(committed).hasSize(1);
  }

  @Test
  void aRepeatedTransactionIsLostLikeTheFirst() {
    commits.add(
        () -> {
          handler = () -> assertThat(lease.lose(LeaseLoss.EXPIRED)).isTrue();
          conflict();
        });
    assertThatThrownBy(() -> handle(delivery)).isInstanceOf(LeaseLostException.class);
    assertThat(handled).hasSize(2);
    assertThat(committed).isEmpty();
  }

  @Test
  void aTransactionIsNotRepeatedWhenTheLeaseWasRevokedDuringItsCommit() {
    commits.add(
        () -> {
          lease.lose(LeaseLoss.REVOKED);
          conflict();
        });
    assertThatThrownBy(() -> handle(delivery)).isInstanceOf(LeaseLostException.class);
    assertThat(handled).hasSize(1);
    assertThat(committed).isEmpty();
  }

  @Test
  void aCommitThatFailsGivesTheRightToCommitBack() {
    InboxUnavailableException down = new InboxUnavailableException("down", null);
    commits.add(
        () -> {
          throw down;
        });
    assertThatThrownBy(() -> handle(delivery)).isSameAs(down);
    assertThat(lease.lose(LeaseLoss.EXPIRED)).isTrue();
  }

  @Test
  void aHandlerThatFailsLeavesTheLeaseToBeLost() {
    handler =
        () -> {
          throw new IllegalStateException("bad");
        };
    assertThatThrownBy(() -> handle(delivery)).hasMessage("bad");
    assertThat(lease.lose(LeaseLoss.EXPIRED)).isTrue();
  }

  @Test
  void anInterruptedConnectionIsNoOutageWhenTheLeaseIsLost() {
    SQLException closed = new SQLException("closed by the interrupt", "08006");
    handler =
        () -> {
          lease.lose(LeaseLoss.EXPIRED);
          throw closed;
        };
    assertThatThrownBy(() -> handle(delivery)).isSameAs(closed);
    assertThat(lease.failureOf(closed)).isInstanceOf(LeaseLostException.class).hasCause(closed);
  }

  @Test
  void aDuplicateNeedsNoLease() throws Exception {
    duplicate = true;
    lease.lose(LeaseLoss.EXPIRED);
    assertThat(handle(delivery)).isEqualTo(Outcome.DUPLICATE);
  }

  @Test
  void aLeaseThatAnInterceptorMadeUpDoesNotStandInForTheOneThatIsLost() {
    interceptors.add(chain -> chain.proceed(wrapped(chain.delivery())));
    handler = () -> lease.lose(LeaseLoss.REVOKED);
    assertThatThrownBy(() -> handle(delivery)).isInstanceOf(LeaseLostException.class);
    assertThat(committed).isEmpty();
  }

  @Test
  void anInterceptorThatProceedsAgainTakesTheRightToCommitAnew() throws Exception {
    interceptors.add(
        chain -> {
          chain.proceed(chain.delivery());
          return chain.proceed(chain.delivery());
        });
    assertThat(handle(delivery)).isEqualTo(Outcome.APPLIED);
    assertThat(committed).hasSize(2);
  }

  @Test
  void anEffectOutsideOfATransactionHasHappenedWhateverBecameOfItsLease() throws Exception {
    RecordDelivery free = delivery("com.acme.free.v1");
    handler = () -> assertThat(free.lease().lose(LeaseLoss.EXPIRED)).isTrue();
    assertThat(handle(free)).isEqualTo(Outcome.APPLIED);
  }

  private static void conflict() throws SQLException {
    throw new SQLException("could not serialize access", "40001");
  }

  /** A delivery as an interceptor may wrap it, with a lease of its own that is never lost. */
  private static Delivery wrapped(Delivery delivery) {
    Lease own =
        new HandlerLease(
            delivery.record(),
            new LeasePolicy(Duration.ofDays(1), LeasePolicy.OnExpiry.KEEP),
            System::nanoTime);
    return (Delivery)
        Proxy.newProxyInstance(
            Delivery.class.getClassLoader(),
            new Class<?>[] {Delivery.class},
            (proxy, method, arguments) ->
                method.getName().equals("lease") ? own : method.invoke(delivery, arguments));
  }

  private Outcome handle(Delivery delivery) throws Exception {
    return Pipeline.of(
            routes(),
            new RepeatingInbox(),
            JacksonPayloadMapper.standard(),
            EventTracing.global(),
            UnhandledEvents.SKIP,
            interceptors,
            Clock.systemUTC())
        .handle(delivery);
  }

  /** Keeps the contract of {@link Inbox}: conflicts repeat the whole transaction. */
  private final class RepeatingInbox implements Inbox {
    @Override
    public InboxOutcome process(InboxEntry entry, Effect effect) throws Exception {
      if (duplicate) {
        return InboxOutcome.DUPLICATE;
      }
      while (true) {
        try {
          effect.apply(connection());
          Commit commit = commits.poll();
          if (commit != null) {
            commit.run();
          }
          committed.add(entry.eventId());
          return InboxOutcome.APPLIED;
        } catch (SQLException e) {
          if (!"40001".equals(e.getSQLState())) {
            throw e;
          }
        }
      }
    }

    @Override
    public List<InboxOutcome> processAll(List<InboxEntry> entries, BatchEffect effect) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Fence takeFence(FenceScope scope) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Duration> window() {
      return Optional.empty();
    }

    @Override
    public void maintain() {}

    @Override
    public void verify(Duration timeout) {}
  }

  /** A connection that has been lost. */
  private static Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isValid")) {
                return false;
              }
              throw new SQLException("lost", "08006");
            });
  }

  private Routes routes() {
    List<String> problems = new ArrayList<>();
    HandlerScanner scanner = new HandlerScanner(problems);
    scanner.scan(new Orders());
    assertThat(problems).isEmpty();
    return Routes.of(scanner.routes());
  }

  private static RecordDelivery delivery(String type) {
    Event event = Event.builder().source("/acme").type(type).id("e-1").subject("o-1").build();
    ProducerRecord<byte[], byte[]> written = EventWriter.binary().write("topic", event);
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "topic",
            0,
            1L,
            0L,
            TimestampType.CREATE_TIME,
            -1,
            -1,
            written.key(),
            written.value(),
            written.headers(),
            Optional.empty());
    return new RecordDelivery(
        record,
        new RecordDelivery.Source("group", EventReader.standard(), (topic, name) -> "orders"),
        1,
        new HandlerLease(record, LeasePolicy.standard(), System::nanoTime));
  }
}
