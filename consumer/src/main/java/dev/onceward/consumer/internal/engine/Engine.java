package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.DeliveryCounts;
import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The poll thread. It alone touches the source and the progress of partitions; what workers finish
 * reaches it by {@link Completions}. It polls whether or not handlers are slow, so that a slow one
 * never costs the membership.
 */
public final class Engine {

  private static final Logger log = ConsumerLog.log;
  private static final Duration IDLE_POLL = Duration.ofMillis(100);
  private static final Duration BUSY_POLL = Duration.ofMillis(5);

  /** While work waits for a commit: a poll tells that it has arrived only when it ends. */
  private static final Duration COMMIT_POLL = Duration.ofMillis(1);

  private static final Duration LIVE_WITHIN = Duration.ofSeconds(30);
  private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);
  private static final long MAX_POLL_BACK_OFF_NANOS = Duration.ofSeconds(5).toNanos();
  private static final Duration LONG_UNDER_WAY = Duration.ofSeconds(20);

  /** Several heartbeats, of whatever protocol. */
  private static final Duration NO_HEARTBEAT = Duration.ofSeconds(20);

  private static final String POLL = "poll";

  private final EngineSettings settings;
  private final DeliverySource source;
  private final Problems problems = new Problems();
  private final Counters counters = new Counters();
  private final Completions completions = new Completions();
  private final Lanes lanes;
  private final Timer timer;
  private final DeadLetterDesk deadLetters;
  private final Workers workers;
  private final Commits commits;
  private final Intake intake;
  private final Ownership ownership;
  private final Fences fences;
  private final Leases leases;
  private final KeyFailures keyFailures = new KeyFailures(counters);
  private final Membership membership;
  private final Watch watch;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopRequested;

  /** An engine is made to be run at once. */
  private volatile State state = State.RUNNING;

  private volatile long lastPollNanos = System.nanoTime();
  private volatile long inFlight;
  private int failedPolls;
  private boolean awaitsCommit;

  /** Puts the engine together; {@link #run} is to be called once, on the poll thread. */
  public Engine(EngineSettings settings, EngineParts parts) {
    this.settings = settings;
    source = parts.source();
    lanes =
        new Lanes(settings.concurrency(), settings.keyless(), settings.inOrder(), System::nanoTime);
    timer = new Timer("onceward-" + settings.group() + "-timer", this::fail);
    deadLetters =
        new DeadLetterDesk(
            parts.deadLetters(),
            timer,
            problems,
            "onceward-" + settings.group() + "-dead-letters",
            this::fail);
    workers =
        new Workers(
            lanes,
            completions,
            timer,
            deadLetters,
            counters,
            problems,
            keyFailures,
            new BatchSize(settings.batches().maxEvents(), settings.batches().maxTime()),
            settings.leases(),
            System::nanoTime,
            parts,
            this::fail);
    Suspects suspects = new Suspects(lanes, settings.maxCrashes());
    fences =
        new Fences(
            parts.fencing(),
            lanes,
            problems,
            timer,
            "onceward-" + settings.group() + "-fences",
            workers::pump,
            this::fail);
    Drafts drafts = new Drafts(lanes, suspects, fences::owned);
    commits =
        new Commits(
            source,
            problems,
            drafts,
            suspects,
            settings.commitInterval(),
            workers::pump,
            System::nanoTime);
    leases = new Leases(settings.leases().onExpiry(), problems, workers::giveUpInFlight);
    membership = new Membership(source, problems, NO_HEARTBEAT);
    watch = new Watch(lanes, problems, LONG_UNDER_WAY);
    intake =
        new Intake(
            source,
            settings.maxRecords(),
            settings.maxBytes(),
            settings.pollRecords(),
            drafts::maxChars);
    ownership =
        new Ownership(
            new CommittedNotes(source, problems, settings.drainBudget()),
            lanes,
            completions,
            commits,
            intake,
            leases,
            settings.maxRecords(),
            settings.drainBudget());
  }

  /** Reads and hands out until stopped or failed. */
  public void run() {
    try {
      source.subscribe(settings.topics(), ownership);
      while (!stopRequested) {
        cycle();
      }
      state = State.STOPPING;
      drain();
    } catch (Throwable e) {
      fail(e);
    } finally {
      end();
    }
  }

  /** Asks for a graceful stop; returns at once. */
  public void stop() {
    stopRequested = true;
  }

  /** Whether the calling thread runs a handler of this engine. */
  public boolean isHandling() {
    return workers.isHandling();
  }

  /** Why the engine failed, if it did. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure.get());
  }

  public DeliveryCounts counts() {
    return counters.snapshot();
  }

  /** A snapshot; any thread. */
  public ConsumerHealth health() {
    Duration sinceLastPoll = Duration.ofNanos(System.nanoTime() - lastPollNanos);
    boolean running = state == State.RUNNING;
    // what held it up holds nothing up any more
    boolean ended = state == State.STOPPED || state == State.FAILED;
    return new ConsumerHealth(
        state,
        (running || state == State.STOPPING) && sinceLastPoll.compareTo(LIVE_WITHIN) < 0,
        running && ownership.count() > 0,
        sinceLastPoll,
        ownership.count(),
        inFlight,
        ended ? List.of() : problems.lines(),
        ended ? List.of() : watch.held(),
        failure());
  }

  private void cycle() {
    boolean paused = intake.adjust(ownership.all());
    Duration timeout = awaitsCommit ? COMMIT_POLL : paused ? BUSY_POLL : IDLE_POLL;
    ConsumerRecords<byte[], byte[]> records = poll(timeout);
    if (records != null) {
      takeIn(records);
    }
    settle();
    awaitsCommit = commits.commitWhenDue(ownership.all());
    // a suspect may be over without an event of its own: its partition went, or no commit was
    // needed
    workers.pump();
    leases.look(ownership.all());
    keyFailures.look();
    membership.look();
    watch.look(ownership.all());
  }

  private @Nullable ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    try {
      ConsumerRecords<byte[], byte[]> records = source.poll(timeout);
      lastPollNanos = System.nanoTime();
      if (failedPolls > 0) {
        failedPolls = 0;
        problems.clear(POLL);
      }
      return records;
    } catch (RetriableException e) {
      lastPollNanos = System.nanoTime();
      failedPolls++;
      problems.raise(POLL, "failed, tried again: " + e.getMessage());
      long backOff = Duration.ofMillis(50).toNanos() << Math.min(failedPolls, 10);
      LockSupport.parkNanos(Math.min(backOff, MAX_POLL_BACK_OFF_NANOS));
      return null;
    }
  }

  private void takeIn(ConsumerRecords<byte[], byte[]> records) {
    Set<TopicPartition> readAgain = new HashSet<>();
    for (TopicPartition id : records.partitions()) {
      Partition partition = ownership.getOwned(id);
      List<ConsumerRecord<byte[], byte[]>> arrived = records.records(id);
      long from = arrived.get(0).offset();
      if (partition.progress().isBehind(from)) {
        OptionalLong unfinished = ownership.beginAgain(partition, from);
        if (unfinished.isPresent()) {
          source.seek(id, unfinished.getAsLong());
          readAgain.add(id);
          continue;
        }
        partition = ownership.getOwned(id);
      }
      List<Work> works = new ArrayList<>(arrived.size());
      for (ConsumerRecord<byte[], byte[]> record : arrived) {
        if (partition.isDone(record)) {
          partition.progress().addDone(record);
          counters.countAlreadyDone();
          continue;
        }
        Work work = partition.workOf(record, settings.maxCrashes());
        partition.progress().add(work);
        works.add(work);
      }
      lanes.offer(partition, works);
    }
    for (var next : records.nextOffsets().entrySet()) {
      Partition partition = ownership.get(next.getKey());
      if (partition != null && !readAgain.contains(next.getKey())) {
        OffsetAndMetadata offset = next.getValue();
        partition.progress().readUpTo(offset);
      }
    }
    if (!records.isEmpty()) {
      workers.pump();
    }
  }

  private void settle() {
    completions.drainTo(work -> work.partition().progress().done(work));
    long open = 0;
    for (Partition partition : ownership.all()) {
      open += partition.progress().unfinished();
    }
    inFlight = open;
  }

  /** Goes on polling while handlers finish: a member that stops polling loses its partitions. */
  private void drain() {
    long deadline = System.nanoTime() + settings.drainBudget().toNanos();
    intake.close();
    lanes.startNoMore(ownership.all());
    while (!ownership.isDrained(ownership.all()) && System.nanoTime() - deadline < 0) {
      intake.adjust(ownership.all());
      // whatever still comes was fetched before the pause: it is not done, so it is not committed
      poll(BUSY_POLL);
      settle();
      leases.look(ownership.all());
    }
    ownership.reportUnfinished(ownership.all());
    // a handler that has used up the budget must not cost the commits of all others
    long lastCommit = Math.max(deadline - System.nanoTime(), 0) + COMMIT_TIMEOUT.toNanos();
    long begin = System.nanoTime();
    while (!commits.commitLast(ownership.all(), COMMIT_TIMEOUT)) {
      if (System.nanoTime() - begin >= lastCommit) {
        log.warn(
            "no commit within the drain budget and {}; the last work is redelivered",
            COMMIT_TIMEOUT);
        return;
      }
      poll(IDLE_POLL);
    }
  }

  private void fail(Throwable error) {
    if (failure.compareAndSet(null, error)) {
      log.error("the consumer of group {} failed and stops", settings.group(), error);
    } else if (failure.get() != error) {
      log.error("a further error of the failed consumer of group {}", settings.group(), error);
    }
    stopRequested = true;
  }

  private void end() {
    endOne(ownership::dropAll);
    endOne(fences::close);
    endOne(timer::close);
    endOne(deadLetters::close);
    endOne(source::close);
    state = failure.get() == null ? State.STOPPED : State.FAILED;
  }

  /** Whatever it throws, the others must come to their end too. */
  private void endOne(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException e) {
      log.warn("closing the consumer of group {} failed", settings.group(), e);
    } catch (Throwable e) {
      fail(e);
    }
  }
}
