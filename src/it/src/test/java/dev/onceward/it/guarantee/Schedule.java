package dev.onceward.it.guarantee;

import dev.onceward.it.scene.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/**
 * Lets up to three members join and leave, kills some that are processes, and cuts a topic off
 * under them, as a seed decides. One thread at a time, but for {@link #end} and {@link #kills}.
 */
final class Schedule {

  private static final int MOST = 3;

  private final Setup setup;
  private final Members members;
  private final Topics topics;
  private final Poller poller;
  private final Published published;
  private final Observer observer;
  private final Random random;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<Member> present;
  private final List<CompletableFuture<Void>> leaving = new ArrayList<>();
  private int joins;
  private int leaves;
  private final AtomicInteger kills = new AtomicInteger();
  private int cuts;

  /** A schedule; {@code present} are those who have joined and not been told to leave. */
  Schedule(
      Setup setup,
      Members members,
      Topics topics,
      Poller poller,
      Published published,
      Observer observer,
      List<Member> present) {
    this.setup = setup;
    this.members = members;
    this.topics = topics;
    this.poller = poller;
    this.published = published;
    this.observer = observer;
    this.present = present;
    // not the sequence of the load
    random = new Random(~setup.seed());
  }

  /** Goes on until {@link #end}. */
  void run() {
    int ticks = 0;
    do {
      change();
      if (setup.faults() && ++ticks % 3 == 0) {
        cutOff();
      }
    } while (!ended(setup.tick().toMillis() / 2 + random.nextInt((int) setup.tick().toMillis())));
  }

  private boolean ended(long withinMillis) {
    try {
      return ended.await(withinMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw Scene.interrupted(e);
    }
  }

  private void change() {
    if (present.size() < 2 || (present.size() < MOST && random.nextBoolean())) {
      joins++;
      // a process takes a while to start: most members are of this JVM
      boolean process = setup.kills() && joins % 4 == 2;
      present.add(process ? members.process() : members.local());
      return;
    }
    Member going = next();
    present.remove(going);
    boolean kill = going.isProcess() && (kills.get() == 0 || random.nextInt(4) != 0);
    if (kill) {
      kills.incrementAndGet();
    } else {
      leaves++;
    }
    leaving.add(Scene.inBackground(kill ? going::kill : going::leave));
  }

  /**
   * The next to leave: a process has time to start, and as not all schedules are long enough for
   * chance to kill one, the first that is at work is killed.
   */
  private Member next() {
    List<Member> ready =
        present.stream().filter(member -> !member.isProcess() || isAtWork(member)).toList();
    List<Member> choice = ready.isEmpty() ? present : ready;
    Member chosen = choice.get(random.nextInt(choice.size()));
    return choice.stream()
        .filter(member -> kills.get() == 0 && member.isProcess())
        .findFirst()
        .orElse(chosen);
  }

  private boolean isAtWork(Member member) {
    return observer.deliveries().runs(member.name()) > 0;
  }

  /** Drops records of the topic that is for this, some that are not committed among them. */
  private void cutOff() {
    int partition = random.nextInt(topics.partitions(topics.cut()));
    TopicPartition id = new TopicPartition(topics.cut(), partition);
    long end = published.ends().getOrDefault(id, 0L);
    // one stays: from nothing the members would learn of no new offset to commit
    long before = Math.min(end - 1, poller.committed(id) + random.nextInt(100));
    if (before > 0) {
      cuts++;
      topics.cutOff(id, before);
    }
  }

  /** The members killed so far; any thread. */
  int kills() {
    return kills.get();
  }

  /** Ends the coming and going; who is present stays. */
  void end() {
    ended.countDown();
  }

  /** Waits for those who leave, and adds a member that stays if there is none of this JVM. */
  void settle() {
    awaitLeft();
    if (present.stream().allMatch(Member::isProcess)) {
      joins++;
      present.add(members.local());
    }
  }

  /** Lets all leave gracefully and waits for it. */
  void leaveAll() {
    for (Member member : present) {
      leaves++;
      leaving.add(Scene.inBackground(member::leave));
    }
    present.clear();
    awaitLeft();
  }

  private void awaitLeft() {
    leaving.forEach(CompletableFuture::join);
    leaving.clear();
  }

  @Override
  public String toString() {
    return "%d joins, %d graceful leaves, %d kills, %d cuts"
        .formatted(joins, leaves, kills.get(), cuts);
  }
}
