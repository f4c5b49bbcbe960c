package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.offsets.Deaths;
import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** One record from its arrival until it is done. Who may touch a field stands beside it. */
final class Work {

  private static final int OVERHEAD_BYTES = 96;

  /** Whether the record may have been at work when an earlier owner died, and so how it starts. */
  enum Suspicion {
    /** It starts as soon as its key and a permit are free. */
    NONE,
    /** It was at work, or may have been: it starts once a commit says that it is about to. */
    WATCHED,
    /**
     * It was at work in several deaths: it starts like {@link #WATCHED}, with nothing beside it.
     */
    ACCUSED
  }

  /** What a parked work waits for. */
  enum Wait {
    NOTHING,
    RETRY,
    VERSION_GAP,
    DEAD_LETTER
  }

  private final Partition partition;
  private final long offset;
  private final int bytes;
  private final boolean convicted;

  /** Null once the work is done or dropped, so that what waits to be committed costs little. */
  private volatile @Nullable ConsumerRecord<byte[], byte[]> record;

  // guarded by the lock of Lanes
  @Nullable Lane lane;
  @Nullable Work next;
  volatile Suspicion suspicion;
  boolean taken;
  volatile Wait waitsFor = Wait.NOTHING;

  // the thread that has taken it: the lock of Lanes hands it over; the poll thread reads it
  private volatile int failedAttempts;
  private volatile Deaths deaths;
  private int failures;
  private @Nullable Instant firstFailure;
  private @Nullable Long ageBegin;
  private boolean waitedForInbox;
  private boolean runsByItself;
  private boolean acceptsGap;
  private @Nullable Long gapBegin;

  // the poll thread
  @Nullable Work before;
  @Nullable Work after;
  boolean done;
  boolean marked;

  // guarded by this, but for reads of runner
  private volatile @Nullable Thread runner;
  private volatile @Nullable HandlerLease lease;
  private volatile boolean cancelled;
  private boolean handlerLetGo;
  private boolean letterAcknowledged;
  private volatile boolean givenUpInFlight;
  private boolean together;

  /** Work of a record of which nothing is known. */
  Work(Partition partition, ConsumerRecord<byte[], byte[]> record) {
    this(partition, record, 0, Deaths.NONE, Suspicion.NONE, false);
  }

  /**
   * Work of a record that an earlier owner may have had.
   *
   * @param failedAttempts tries that failed
   * @param deaths how often the process died while its handler ran
   * @param convicted whether it is given up for that, without a further try
   */
  Work(
      Partition partition,
      ConsumerRecord<byte[], byte[]> record,
      int failedAttempts,
      Deaths deaths,
      Suspicion suspicion,
      boolean convicted) {
    this.partition = partition;
    this.record = record;
    this.offset = record.offset();
    this.bytes = size(record);
    this.failedAttempts = failedAttempts;
    this.deaths = deaths;
    this.suspicion = suspicion;
    this.convicted = convicted;
  }

  Partition partition() {
    return partition;
  }

  long offset() {
    return offset;
  }

  /** An estimate of the heap that the record holds. */
  int bytes() {
    return bytes;
  }

  ConsumerRecord<byte[], byte[]> record() {
    ConsumerRecord<byte[], byte[]> held = record;
    if (held == null) {
      throw new IllegalStateException("offset " + offset + " is done");
    }
    return held;
  }

  void release() {
    record = null;
  }

  /** The number of the present try, from 1; those that ended with their process count. */
  int attempt() {
    return failedAttempts + deaths.atWork() + (convicted ? 0 : 1);
  }

  /** Tries that failed and used up an attempt. */
  int failedAttempts() {
    return failedAttempts;
  }

  /** How often an earlier owner died while it ran. */
  int crashes() {
    return deaths.atWork();
  }

  /** Whether as much speaks against it as so many deaths. */
  boolean isSuspectOf(int deathsAtWork) {
    return deaths.isSuspectOf(deathsAtWork);
  }

  /**
   * The deaths as a note tells them.
   *
   * @param goesOn false when its partition is given up: a run that goes on meanwhile is outlived
   */
  Deaths deaths(boolean goesOn) {
    return goesOn || !isRunning() ? deaths : outlived();
  }

  /** Whether it has killed its process so often that it is not tried again. */
  boolean isConvicted() {
    return convicted;
  }

  int failures() {
    return failures;
  }

  Instant firstFailure(Instant now) {
    if (firstFailure == null) {
      firstFailure = now;
    }
    return firstFailure;
  }

  /** How long the work has been failing, the time without the inbox's database not counted. */
  Duration age(long nowNanos, boolean counts) {
    if (!counts) {
      ageBegin = null;
      return Duration.ZERO;
    }
    if (ageBegin == null) {
      ageBegin = nowNanos;
    }
    return Duration.ofNanos(nowNanos - ageBegin);
  }

  /** How long it has been waiting for the version before its own. */
  Duration gapAge(long nowNanos) {
    if (gapBegin == null) {
      gapBegin = nowNanos;
    }
    return Duration.ofNanos(nowNanos - gapBegin);
  }

  /** From now on it is applied although versions before its own are missing. */
  void acceptGap() {
    acceptsGap = true;
  }

  boolean acceptsGap() {
    return acceptsGap;
  }

  /** Remembers that a try failed for want of the inbox's database. */
  void waitForInbox() {
    waitedForInbox = true;
  }

  boolean waitedForInbox() {
    return waitedForInbox;
  }

  void countFailure() {
    failures++;
    deaths = outlived();
  }

  private Deaths outlived() {
    return convicted ? deaths : deaths.oneOutlived();
  }

  void countFailedAttempt() {
    int before = failedAttempts;
    failedAttempts = before + 1;
  }

  /** Whether it may run together with others: it is new, and nothing is known against it. */
  boolean isShareable() {
    return failures == 0
        && deaths.atWork() == 0
        && failedAttempts == 0
        && suspicion == Suspicion.NONE
        && !runsByItself;
  }

  /** From now on it runs with no other, so that what it does hits nobody else. */
  void runByItself() {
    runsByItself = true;
  }

  /** Marks the calling thread as the one at work; false when the work was cancelled before. */
  boolean begin(HandlerLease lease) {
    return begin(lease, false);
  }

  /** As {@link #begin(HandlerLease)}, together with others on the same thread. */
  boolean beginTogether(HandlerLease lease) {
    return begin(lease, true);
  }

  private synchronized boolean begin(HandlerLease lease, boolean together) {
    if (cancelled) {
      return false;
    }
    this.lease = lease;
    this.together = together;
    runner = Thread.currentThread();
    return true;
  }

  /** Ends {@link #begin}; afterwards no interrupt can hit the thread. */
  synchronized void end() {
    if (lease != null) {
      lease.end();
      lease = null;
    }
    runner = null;
  }

  /**
   * Gives the work up for good: it does not start any more, and a running handler loses its lease.
   */
  synchronized void cancel() {
    cancelled = true;
    Thread running = runner;
    // while it commits, or when the lease was lost before, an interrupt would only do harm
    if (running != null && lease != null && lease.lose(LeaseLoss.REVOKED)) {
      running.interrupt();
    }
  }

  /** Takes the lease of a running handler away when it has run out; true when it did so now. */
  boolean expire(long nowNanos) {
    if (runner == null) {
      return false;
    }
    synchronized (this) {
      HandlerLease held = lease;
      Thread running = runner;
      if (held == null || running == null || !held.expire(nowNanos)) {
        return false;
      }
      running.interrupt();
      return true;
    }
  }

  /** Whether it is named as started by commits: it runs, or may start at any time; poll thread. */
  boolean isAtWork() {
    return runner != null || (marked && waitsFor == Wait.NOTHING);
  }

  /** Whether its handler runs longer than its lease; any thread. */
  boolean isOverdue(long nowNanos) {
    if (runner == null) {
      return false;
    }
    synchronized (this) {
      return lease != null && lease.isExpired(nowNanos);
    }
  }

  /** Whether a handler is at it; any thread. */
  boolean isRunning() {
    return runner != null;
  }

  /** The lease of the try that runs, or null; any thread. */
  @Nullable HandlerLease lease() {
    return lease;
  }

  /** Where its handler is at present, as a throwable without a message of its own. */
  Throwable where() {
    Throwable where = new Throwable("where the handler was");
    Thread running = runner;
    where.setStackTrace(running == null ? new StackTraceElement[0] : running.getStackTrace());
    return where;
  }

  /** Whether its handler is in a call that ends the JVM, such as {@link System#exit}. */
  boolean endsTheProcess() {
    Thread running = runner;
    if (running == null) {
      return false;
    }
    for (StackTraceElement frame : running.getStackTrace()) {
      if (frame.getClassName().equals("java.lang.Runtime")
          && frame.getMethodName().equals("exit")) {
        return true;
      }
    }
    return false;
  }

  boolean cancelled() {
    return cancelled;
  }

  /**
   * From now on its dead letter is under way although its handler still runs; not when it runs
   * together with others, for then it runs once more by itself.
   */
  synchronized boolean giveUpInFlight() {
    if (runner == null || cancelled || givenUpInFlight || together) {
      return false;
    }
    givenUpInFlight = true;
    return true;
  }

  boolean isGivenUpInFlight() {
    return givenUpInFlight;
  }

  /**
   * The handler of a work that was given up in flight has returned; true when that was the last.
   */
  synchronized boolean handlerLetGo() {
    handlerLetGo = true;
    return letterAcknowledged;
  }

  /** The letter of a work given up in flight has arrived; true when its handler has returned. */
  synchronized boolean letterAcknowledged() {
    letterAcknowledged = true;
    return handlerLetGo;
  }

  private static int size(ConsumerRecord<byte[], byte[]> record) {
    long size = OVERHEAD_BYTES;
    size += Math.max(record.serializedKeySize(), 0);
    size += Math.max(record.serializedValueSize(), 0);
    for (Header header : record.headers()) {
      size += header.key().length() + (header.value() == null ? 0 : header.value().length);
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }
}
