package dev.onceward.it.guarantee;

import static dev.onceward.it.scene.Scene.eventually;

import dev.onceward.it.guarantee.DrainWithoutDuplicates.Why;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** A load, members that come and go, an observer, and all guarantees. */
final class Trial implements AutoCloseable {

  /** How many records may wait for a member before the load waits too. */
  private static final long MOST_BEHIND = 10_000;

  private static final Duration LONGEST_START = Duration.ofSeconds(60);
  private static final Duration LONGEST = Duration.ofMinutes(20);

  /** What the observer may add to the heap. */
  private static final long OBSERVER_BYTES = 128L * 1024 * 1024;

  private final Setup setup;
  private final Scene scene;
  private final Ledger ledger;
  private final Topics topics;
  private final Published published = new Published();
  private final Observer observer = new Observer();
  private final DeadLetterTopics letters;
  private final boolean readCommitted;
  private final AtLeastOnce atLeastOnce;
  private final PerKeyOrder order;
  private final NoOverlapOfAKey overlap;
  private final NoCommitPastUnfinished commits;
  private final BoundedConcurrency concurrency;
  private final DrainWithoutDuplicates drain;
  private final BoundedMemory memory;
  private final OneEffect effect;
  private final Members members;
  private final Load load;
  private final Findings findings = new Findings();
  private final List<Member> present = new CopyOnWriteArrayList<>();
  private @Nullable Schedule schedule;
  private int rebalances;
  private Duration took = Duration.ZERO;

  Trial(KafkaServer kafka, TestDatabase database, Setup setup) {
    this.setup = setup;
    scene = Scene.on(kafka);
    ledger = Ledger.in(database.dataSource());
    topics = new Topics(scene, setup.faults());
    letters = new DeadLetterTopics(scene, topics.partitions());
    readCommitted = setup.seed() % 2 == 0;
    Deliveries deliveries = observer.deliveries();
    Remaining remaining = new Remaining(scene.collector());
    atLeastOnce =
        observer.add(
            new AtLeastOnce(deliveries, published, letters, remaining::contain, readCommitted));
    order = observer.add(new PerKeyOrder(deliveries, published, letters, remaining::contain));
    overlap = observer.add(new NoOverlapOfAKey());
    commits =
        observer.add(
            new NoCommitPastUnfinished(deliveries, published, letters, remaining::contain));
    concurrency = observer.add(new BoundedConcurrency(Behaviour.CONCURRENCY));
    drain = observer.add(new DrainWithoutDuplicates(observer));
    memory =
        observer.add(
            new BoundedMemory(Behaviour.MAX_IN_FLIGHT + Behaviour.POLL_RECORDS, OBSERVER_BYTES));
    effect = observer.add(new OneEffect(ledger, published));
    members = new Members(scene, database, ledger, topics.names(), observer, setup, readCommitted);
    if (!setup.protocol().isClassic()) {
      topics.shortenSession(setup.sessionMillis());
    }
    load = new Load(setup, scene, topics, published);
  }

  /** Runs it, prints what there was to see, and fails if a guarantee was broken. */
  void run() {
    print("seed %d; to do it again: -D%s=%d".formatted(setup.seed(), Setup.SEED, setup.seed()));
    try {
      observe();
      guarantees().forEach(guarantee -> guarantee.check(findings));
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "trial of %s with seed %d broke off; so far: %s"
              .formatted(setup.protocol(), setup.seed(), summary()),
          e);
    }
    print(summary());
    if (!findings.isEmpty()) {
      throw new AssertionError(
          "%s with seed %d broke guarantees: %s"
              .formatted(setup.protocol(), setup.seed(), findings));
    }
  }

  private void observe() {
    if (setup.alone()) {
      memory.measureHeap();
    }
    long begin = System.nanoTime();
    try (Poller poller = new Poller(scene, commits, memory, present)) {
      schedule = new Schedule(setup, members, topics, poller, published, observer, present);
      CompletableFuture<Void> changes = Scene.inBackground(schedule::run);
      try {
        publish(poller, schedule, changes, begin);
      } finally {
        schedule.end();
        changes.join();
      }
      schedule.settle();
      topics.awaitCommitted();
      schedule.leaveAll();
      poller.rethrow();
      rebalances = poller.rebalances();
    }
    took = Duration.ofNanos(System.nanoTime() - begin);
    members.rethrow();
    letters.catchUp();
    if (setup.alone()) {
      memory.measureHeap();
    }
  }

  /** Publishes until there is enough, about as fast as the members handle it. */
  private void publish(
      Poller poller, Schedule changing, CompletableFuture<Void> changes, long begin) {
    while (!changes.isDone() && !isEnough(changing, begin)) {
      if (behind(poller) > MOST_BEHIND) {
        awaitLessBehind(poller, changes);
      }
      load.next();
      if (setup.perSecond() > 0) {
        long due =
            begin + Duration.ofSeconds(1).toNanos() * published.records() / setup.perSecond();
        eventually().until(() -> System.nanoTime() - due > 0);
      }
    }
  }

  private boolean isEnough(Schedule changing, long begin) {
    long elapsed = System.nanoTime() - begin;
    return elapsed >= LONGEST.toNanos()
        || (elapsed >= setup.atLeast().toNanos()
            && observer.deliveries().runs() >= setup.deliveries()
            && published.records() >= setup.records()
            // on a busy machine a process takes a while until it can be killed at work
            && (!setup.kills() || changing.kills() > 0 || elapsed >= LONGEST_START.toNanos()));
  }

  private void awaitLessBehind(Poller poller, CompletableFuture<Void> changes) {
    try {
      eventually().until(() -> changes.isDone() || behind(poller) < MOST_BEHIND / 2);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "behind "
              + published.ends().entrySet().stream()
                  .map(end -> end + " - " + poller.committed(end.getKey()))
                  .toList()
              + "; "
              + present.stream().map(member -> member.name() + ": " + member.health()).toList(),
          e);
    }
  }

  private long behind(Poller poller) {
    return published.ends().entrySet().stream()
        .mapToLong(end -> end.getValue() - poller.committed(end.getKey()))
        .sum();
  }

  private List<Guarantee> guarantees() {
    return List.of(atLeastOnce, order, overlap, commits, concurrency, drain, memory, effect);
  }

  /** The runs that there were. */
  long deliveries() {
    return observer.deliveries().runs();
  }

  /** Records that were delivered again after they had been finished. */
  int duplicates(Why why) {
    return drain.duplicates(why);
  }

  /** What a reader of the log wants to know. */
  String summary() {
    Deliveries deliveries = observer.deliveries();
    return """
        %s, seed %d, %s, %d s: %s, %d rebalances seen
          published %d records, deliveries %d (%s members here, %s processes): succeeded %d, failed %d, skipped by the inbox %d, cut short %d, vanished with a process %d
          delivered again after success: %d after a kill, %d after a drain beyond the budget (%d handlers were longer), %d unexplained
          lost or wrongly given up %d, order violations %d (%d passed over), overlaps %d, commits past unfinished %d of %d seen
          effects %d: lost %d, double %d; dead letters %d, double %d, %s
          most at once in a member %d of %d, most in flight %d of %d, most failures of a record %d, heap after GC %s
          surprises: %s"""
        .formatted(
            setup.protocol(),
            setup.seed(),
            readCommitted ? "read_committed" : "read_uncommitted",
            took.toSeconds(),
            schedule == null ? "not begun" : schedule,
            rebalances,
            published.records(),
            deliveries.runs(),
            deliveries.runsOf(Members.LOCAL),
            deliveries.runsOf(Members.PROCESS),
            deliveries.ends(End.SUCCEEDED),
            deliveries.ends(End.FAILED),
            deliveries.ends(End.SKIPPED),
            deliveries.ends(End.CUT_SHORT),
            deliveries.ends(End.VANISHED),
            drain.duplicates(Why.KILLED),
            drain.duplicates(Why.OUT_OF_BUDGET),
            load.overBudget(),
            drain.duplicates(Why.UNEXPLAINED),
            findings.of(atLeastOnce),
            findings.of(order),
            order.passedOver(),
            overlap.overlaps(),
            findings.of(commits),
            commits.observations(),
            effect.rows(),
            effect.lost(),
            effect.doubles(),
            letters.records(),
            letters.doubles(),
            letters.reasons(),
            concurrency.most(),
            Behaviour.CONCURRENCY,
            memory.most(),
            Behaviour.MAX_IN_FLIGHT + Behaviour.POLL_RECORDS,
            deliveries.mostFailures(),
            memory.heap(),
            observer.surprises());
  }

  // the summary is for the console of whoever runs the suite
  private static void print(String text) {
    System.out.println(text);
  }

  @Override
  public void close() {
    for (Member member : present) {
      if (member.isProcess()) {
        member.kill();
      } else {
        member.leave();
      }
    }
    members.close();
    load.close();
    letters.close();
    scene.close();
    ledger.close();
  }
}
