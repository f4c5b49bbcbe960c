package dev.onceward.consumer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.OnThreadLeak;
import dev.onceward.dedupe.Fence;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.hygiene.HygieneCounts;
import dev.onceward.dedupe.hygiene.LeakKind;
import dev.onceward.dedupe.hygiene.PoolFigures;
import dev.onceward.dedupe.hygiene.PoolUsage;
import dev.onceward.tracing.ConsumerObservation;
import dev.onceward.tracing.ConsumerObservation.Pool;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class EffectObservationTest {

  private final FakeInbox inbox = new FakeInbox();
  private final ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.WARN, Map.of());

  @Test
  void whileThePoolIsSaturatedTheConsumerIsLiveAndNotReadyAndSaysWhy() {
    EffectObservation observation = observation();
    assertThat(observation.withPool(health(State.RUNNING)).ready()).isTrue();

    inbox.waiting = 3;
    inbox.currentWait = Duration.ofSeconds(7);

    ConsumerHealth health = observation.withPool(health(State.RUNNING));
    assertThat(health.ready()).isFalse();
    assertThat(health.live()).isTrue();
    assertThat(health.problems())
        .containsExactly(
            "offset commit: failed",
            "connection pool: 3 handlers wait for a connection, one of them for 7 s, 10 of 10 are"
                + " in use; make the pool larger, or lower concurrency");
    assertThat(observation.withPool(health(State.STOPPING)).problems()).hasSize(1);

    inbox.currentWait = Duration.ofMillis(200);
    assertThat(observation.withPool(health(State.RUNNING)).ready()).isTrue();
  }

  @Test
  void ofAnInboxThatWasAtWorkBeforeOnlyWhatIsNewCounts() {
    inbox.acquired = 40;
    inbox.totalWait = Duration.ofSeconds(4);
    inbox.leaks = Map.of(LeakKind.ROLE, 1L);
    EffectObservation observation = observation();
    inbox.acquired = 45;
    inbox.totalWait = Duration.ofSeconds(6);
    inbox.leaks = Map.of(LeakKind.ROLE, 1L, LeakKind.ADVISORY_LOCK, 2L);

    assertThat(observation.pool())
        .contains(new Pool(5, Duration.ofSeconds(2), 0, OptionalInt.of(10), OptionalInt.of(10)));
    assertThat(observation.leaks()).isEqualTo(Map.of("advisory_lock", 2L));
  }

  @Test
  void withoutAnInboxThereIsNoPool() {
    EffectObservation observation = new EffectObservation(new NoEngine(), threads, null);
    assertThat(observation.pool()).isEmpty();
    assertThat(observation.leaks()).isEmpty();
    assertThat(observation.withPool(health(State.RUNNING)).ready()).isTrue();
  }

  private EffectObservation observation() {
    return new EffectObservation(new NoEngine(), threads, inbox);
  }

  private static ConsumerHealth health(State state) {
    return new ConsumerHealth(
        state,
        true,
        state == State.RUNNING,
        Duration.ZERO,
        1,
        0,
        List.of("offset commit: failed"),
        List.of(),
        Optional.empty());
  }

  private static final class FakeInbox implements Inbox {
    private long acquired;
    private Duration totalWait = Duration.ZERO;
    private int waiting;
    private Duration currentWait = Duration.ZERO;
    private Map<LeakKind, Long> leaks = Map.of();

    @Override
    public InboxOutcome process(InboxEntry entry, Effect effect) {
      throw new UnsupportedOperationException();
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

    @Override
    public Optional<HygieneCounts> hygiene() {
      return Optional.of(new HygieneCounts(0, 0, 0, 0, 0, leaks));
    }

    @Override
    public Optional<PoolFigures> pool() {
      return Optional.of(
          new PoolFigures(
              acquired,
              0,
              totalWait,
              Duration.ZERO,
              waiting,
              currentWait,
              Optional.of(new PoolUsage(10, 10, waiting))));
    }
  }

  private static final class NoEngine implements ConsumerObservation {
    @Override
    public String group() {
      return "group";
    }

    @Override
    public long inFlight() {
      return 0;
    }

    @Override
    public int assignedPartitions() {
      return 0;
    }

    @Override
    public Map<String, Long> deliveries() {
      return Map.of();
    }

    @Override
    public long retries() {
      return 0;
    }

    @Override
    public Collection<Held> held() {
      return List.of();
    }
  }
}
