package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.RelayCounts;
import dev.onceward.producer.outbox.RelayHealth;
import dev.onceward.producer.outbox.RelayHealth.State;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A running relay: puts its parts together and keeps them going. */
public final class RelayEngine {
  private static final long COUNT_INTERVAL = TimeUnit.SECONDS.toNanos(5);
  private static final Duration LIVENESS = Duration.ofSeconds(30);

  private final RelayConfig config;
  private final EventLoop loop = new EventLoop();
  private final Problems problems = new Problems();
  private final Counters counters = new Counters();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Sender sender;
  private final Shards shards;
  private final Topics topics;
  private final Traffic traffic;
  private final DatabaseThread reading;
  private final DatabaseThread removing;
  private final DatabaseThread leasing;
  private final Leases leases;
  private final Holdings holdings;
  private final Drain drain;
  private volatile State state = State.NEW;
  private volatile @Nullable Throwable failure;
  private boolean stopRequested;
  private long stopDeadline;

  /**
   * Opens the producer.
   *
   * @throws IllegalArgumentException when a Kafka property contradicts or is not valid
   */
  public RelayEngine(RelayConfig config) {
    this.config = config;
    this.sender = new Sender(config.kafkaProperties(), config.tracing());
    this.shards = new Shards(config.maxInFlight());
    this.topics = new Topics(sender, config.unknownTopics(), config.name(), loop, problems);
    this.traffic = new Traffic(loop, sender, topics, shards, counters, problems);
    this.reading = thread("reading");
    this.removing = thread("removing");
    this.leasing = thread("leases");
    this.leases =
        new Leases(
            new LeaseTable(config.tables(), UUID.randomUUID(), config.name()),
            config.leaseDuration());
    ShardQueries queries = new ShardQueries(config.tables());
    RelayParts parts =
        new RelayParts(
            loop,
            shards,
            traffic,
            topics,
            new Reader(config.tables()),
            new Remover(config.tables()),
            queries,
            reading,
            removing,
            counters);
    this.holdings = new Holdings(parts, leases, leasing, config.name());
    this.drain = new Drain(parts, holdings);
  }

  private DatabaseThread thread(String subject) {
    return new DatabaseThread(config.name(), subject, config.dataSource(), loop, problems);
  }

  /** Starts the relay's thread. */
  public void start() {
    state = State.RUNNING;
    Thread thread = new Thread(this::run, "onceward-outbox-" + config.name());
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    loop.execute(holdings::look);
    loop.after(COUNT_INTERVAL, this::count);
    loop.after(config.sweepInterval().toNanos(), this::sweep);
    try {
      loop.run(this::round, this::mayEnd);
    } catch (RuntimeException | Error e) {
      failure = e;
      Problems.LOG.error("Outbox relay {} has failed; other relays take over", config.name(), e);
    } catch (InterruptedException e) {
      failure = e;
    }
    end(failure == null);
  }

  private void end(boolean givesUp) {
    topics.close();
    sender.close(Duration.ZERO);
    reading.close(null);
    removing.close(null);
    leasing.close(
        givesUp
            ? session ->
                session.run(
                    connection -> {
                      leases.end(connection);
                      return true;
                    })
            : null);
    state = failure == null ? State.STOPPED : State.FAILED;
    ended.countDown();
  }

  private boolean mayEnd() {
    return stopRequested && (drain.isIdle() || System.nanoTime() - stopDeadline > 0);
  }

  private void round() {
    drain.round();
    traffic.watch();
    reading.watch();
    removing.watch();
    leasing.watch();
    holdings.giveUpWhatIsIdle();
  }

  /** Stops reading, waits for what is under way up to the close timeout, and gives all up. */
  public void close() {
    if (state == State.RUNNING) {
      state = State.STOPPING;
      leases.takeNoMore();
      loop.execute(
          () -> {
            stopRequested = true;
            stopDeadline = System.nanoTime() + config.closeTimeout().toNanos();
            drain.stop();
            loop.after(config.closeTimeout().toNanos() + 1, () -> {});
          });
    }
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets go of the producer of a relay that was never started. */
  public void discard() {
    state = State.STOPPED;
    end(false); // it never held a lease, and perhaps there are no tables
  }

  public void wakeUp() {
    drain.wakeUp();
  }

  public void expectSoon() {
    drain.expectSoon();
  }

  public RelayCounts counts() {
    return counters.snapshot();
  }

  public RelayHealth health() {
    State now = state;
    boolean beats = System.nanoTime() - loop.lastRound() < LIVENESS.toNanos();
    ShardQueries.Backlog backlog = drain.backlog();
    return new RelayHealth(
        now,
        beats && (now == State.RUNNING || now == State.STOPPING),
        shards.count(),
        shards.rows(),
        backlog.rows(),
        backlog.age(),
        backlog.dead(),
        problems.lines(),
        Optional.ofNullable(failure));
  }

  private void count() {
    drain.count(() -> loop.after(COUNT_INTERVAL, this::count));
  }

  private void sweep() {
    drain.sweep(() -> loop.after(config.sweepInterval().toNanos(), this::sweep));
  }
}
