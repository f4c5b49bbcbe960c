package dev.onceward.producer.internal.outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The relay's work: reads rows when there is room for them, has them sent, and removes what was
 * sent. One read, one removal and one look at the leases are under way at a time, each on a thread
 * of its own. Belongs to the loop, but for the wake-ups.
 */
final class Drain {
  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long EXPECTING = TimeUnit.SECONDS.toNanos(1);

  /** So many rows at once say that there are more. */
  private static final int MANY = 64;

  private static final int MOST_REMOVED = 5_000;

  private final EventLoop loop;
  private final Shards shards;
  private final Traffic traffic;
  private final Topics topics;
  private final Holdings holdings;
  private final Reader reader;
  private final Remover remover;
  private final ShardQueries queries;
  private final DatabaseThread reading;
  private final DatabaseThread removing;
  private final Counters counters;
  private final AtomicBoolean woken = new AtomicBoolean();
  private final AtomicBoolean pollSoon = new AtomicBoolean();
  private volatile long expectUntil = System.nanoTime();
  private volatile ShardQueries.Backlog backlog = ShardQueries.Backlog.NONE;
  private boolean readUnderWay;
  private boolean removalUnderWay;
  private boolean stopping;
  private long pause = SHORTEST_PAUSE;
  private long nextRead = System.nanoTime();

  Drain(RelayParts parts, Holdings holdings) {
    this.holdings = holdings;
    this.loop = parts.loop();
    this.shards = parts.shards();
    this.traffic = parts.traffic();
    this.topics = parts.topics();
    this.reader = parts.reader();
    this.remover = parts.remover();
    this.queries = parts.queries();
    this.reading = parts.reading();
    this.removing = parts.removing();
    this.counters = parts.counters();
  }

  /** There is something to read; from any thread. */
  void wakeUp() {
    if (woken.compareAndSet(false, true)) {
      loop.execute(() -> {});
    }
  }

  /** There will be something to read; from any thread. */
  void expectSoon() {
    expectUntil = System.nanoTime() + EXPECTING;
    if (pollSoon.compareAndSet(false, true)) {
      loop.execute(
          () -> {
            pollSoon.set(false);
            pause = SHORTEST_PAUSE;
            nextReadAt(System.nanoTime() + SHORTEST_PAUSE);
            loop.after(SHORTEST_PAUSE, () -> {});
          });
    }
  }

  ShardQueries.Backlog backlog() {
    return backlog;
  }

  /** Reads no more, and lets what is under way end. */
  void stop() {
    stopping = true;
    traffic.forget(row -> true);
  }

  /** Whether nothing is under way any more. */
  boolean isIdle() {
    return shards.isEmpty() && !readUnderWay && !removalUnderWay;
  }

  /** What is done after each handful of events. */
  void round() {
    remove();
    if (woken.compareAndSet(true, false)) {
      nextRead = System.nanoTime();
    }
    read();
  }

  private void nextReadAt(long time) {
    if (time - nextRead < 0) {
      nextRead = time;
    }
  }

  private void schedule(long nanos) {
    pause = Math.min(nanos, LONGEST_PAUSE);
    nextRead = System.nanoTime() + pause;
    loop.after(pause, () -> {});
  }

  private void read() {
    long now = System.nanoTime();
    if (readUnderWay || stopping || nextRead - now > 0 || !shards.hasRoom()) {
      return;
    }
    ReadRequest request = shards.request(topics.closed(), now);
    if (request == null) {
      schedule(SHORTEST_PAUSE * 2);
      return;
    }
    readUnderWay = true;
    shards.readBegins();
    reading.run(
        session -> session.run(connection -> reader.read(connection, request)),
        result -> {
          readUnderWay = false;
          admit(request, result);
          shards.readEnds();
        },
        () -> {
          readUnderWay = false;
          shards.readEnds();
        });
  }

  private void admit(ReadRequest request, ReadResult result) {
    Reach reach = new Reach(request, result);
    if (stopping) {
      return;
    }
    int admitted = 0;
    for (Row row : result.late()) {
      BucketState bucket = shards.bucket(row.bucket);
      if (bucket != null && reach.isCurrent(bucket)) {
        admitted += traffic.admit(row, bucket) ? 1 : 0;
      }
    }
    for (Row row : result.ahead()) {
      BucketState bucket = shards.bucket(row.bucket);
      // behind late rows that did not fit there may be some of the same key among these
      if (bucket != null && reach.isCurrent(bucket) && !reach.isLateCut(bucket)) {
        bucket.cursor = Math.max(bucket.cursor, row.seq);
        admitted += traffic.admit(row, bucket) ? 1 : 0;
      }
    }
    // rows of closed topics are not in memory, and have to be found again
    if (request.closedTopics().isEmpty() && topics.closed().isEmpty()) {
      for (int number : result.buckets()) {
        BucketState bucket = shards.bucket(number);
        if (bucket != null && reach.isCurrent(bucket)) {
          bucket.settle(reach.settled(bucket));
        }
      }
    }
    if (reach.hasMore() || admitted >= MANY) {
      schedule(0);
    } else if (admitted > 0 || expectUntil - System.nanoTime() > 0) {
      schedule(SHORTEST_PAUSE);
    } else {
      schedule(Math.max(SHORTEST_PAUSE, pause * 2));
    }
  }

  /** Deletes what was acknowledged, and moves what is dead. */
  private void remove() {
    if (removalUnderWay) {
      return;
    }
    if (traffic.hasLeaving()) {
      move(traffic.takeLeaving());
    } else if (traffic.hasAcknowledged()) {
      List<Row> rows = traffic.takeAcknowledged();
      rows.removeIf(row -> row.home == null);
      delete(rows);
    }
  }

  private void delete(List<Row> all) {
    if (all.isEmpty()) {
      removalUnderWay = false;
      return;
    }
    removalUnderWay = true;
    List<Row> rows = all.size() > MOST_REMOVED ? all.subList(0, MOST_REMOVED) : all;
    List<Row> rest = List.copyOf(all.subList(rows.size(), all.size()));
    Short[] buckets = rows.stream().map(row -> (short) row.bucket).toArray(Short[]::new);
    Long[] numbers = rows.stream().map(row -> row.seq).toArray(Long[]::new);
    Long[] epochs = rows.stream().map(Drain::epoch).toArray(Long[]::new);
    removing.run(
        session -> session.run(connection -> remover.delete(connection, buckets, numbers, epochs)),
        deleted -> {
          counters.deleted.add(deleted);
          rows.forEach(shards::goneFromDatabase);
          delete(rest);
        },
        () -> delete(new ArrayList<>(all.stream().filter(row -> row.home != null).toList())));
  }

  /** Of a shard that was lost meanwhile: none that matches. */
  private static long epoch(Row row) {
    ShardState home = row.home;
    return home == null ? -1 : home.lease.epoch();
  }

  private void move(List<Leaving> rows) {
    removalUnderWay = true;
    removing.run(
        session -> session.transaction(connection -> remover.move(connection, rows)),
        moved -> {
          removalUnderWay = false;
          moved(rows, moved);
        },
        () -> move(rows));
  }

  private void moved(List<Leaving> rows, Set<Long> moved) {
    Set<Integer> doubtful = new HashSet<>();
    for (Leaving each : rows) {
      boolean gone = moved.contains(each.row().seq);
      if (gone) {
        (each.reason() == null ? counters.behind : counters.dead).increment();
      } else {
        doubtful.add(Buckets.shardOf(each.row().bucket));
      }
      traffic.left(each, gone);
      shards.goneFromDatabase(each.row());
    }
    doubtful.forEach(holdings::reload);
  }

  /** Counts what waits. */
  void count(Runnable then) {
    ask(
        request -> session -> session.run(connection -> queries.backlog(connection, request)),
        found -> {
          backlog = found;
          then.run();
        },
        then,
        ShardQueries.Backlog.NONE);
  }

  /** Looks for rows below the low-water marks. */
  void sweep(Runnable then) {
    ask(
        request -> session -> session.run(connection -> queries.overlooked(connection, request)),
        places -> {
          places.forEach(this::overlooked);
          then.run();
        },
        then,
        List.<ShardQueries.Place>of());
  }

  private interface Question<T> {
    Session.Work<T> about(ReadRequest request);
  }

  private <T> void ask(
      Question<T> question, Consumer<T> answer, Runnable otherwise, T aboutNothing) {
    ReadRequest request = shards.everything(System.nanoTime());
    if (request == null) {
      answer.accept(aboutNothing);
    } else {
      reading.run(question.about(request), answer, otherwise);
    }
  }

  private void overlooked(ShardQueries.Place place) {
    BucketState bucket = shards.bucket(place.bucket());
    if (bucket == null || bucket.rows.containsKey(place.seq()) || place.seq() > bucket.floor) {
      return;
    }
    counters.overlooked.increment();
    Problems.LOG.error(
        "Outbox row {} was overlooked and is sent now, perhaps behind later ones of its key: rows"
            + " must be written by Onceward's Outbox alone, and the sequence must not be set back",
        place.seq());
    bucket.floor = place.seq() - 1;
    wakeUp();
  }
}
