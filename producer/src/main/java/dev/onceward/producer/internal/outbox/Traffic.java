package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.PublishException;
import dev.onceward.producer.outbox.DeadReason;
import dev.onceward.tracing.KeyHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the rows in memory, each key's one after the other, and collects what then has to be done
 * in the database. Belongs to the loop.
 */
final class Traffic {
  private static final String SUBJECT = "sending";
  private static final String SILENCE = "brokers";
  private static final long SILENT_TOO_LONG = TimeUnit.SECONDS.toNanos(10);

  /** Longer than between two tries of a row. */
  private static final long TROUBLE_LASTS = TimeUnit.SECONDS.toNanos(7);

  /** A row that was sent so long ago, without success, keeps no place for what is behind it. */
  private static final long HELD_AFTER = TimeUnit.SECONDS.toNanos(2);

  private static final long LOOK_INTERVAL = TimeUnit.MILLISECONDS.toNanos(250);

  private final EventLoop loop;
  private final Sender sender;
  private final Topics topics;
  private final Shards shards;
  private final Counters counters;
  private final Problems problems;
  private final KeyGate gate = new KeyGate();
  private List<Row> acknowledged = new ArrayList<>();
  private List<Leaving> leaving = new ArrayList<>();

  /** Keys with rows on their way to the dead, and how many: later rows follow them. */
  private final Map<RowKey, Integer> moving = new HashMap<>();

  private boolean troubled;
  private long lastFailure = System.nanoTime();
  private long lastSuccess = System.nanoTime();
  private int sending;
  private long lastAnswer = System.nanoTime();
  private long lastLook = System.nanoTime();

  Traffic(
      EventLoop loop,
      Sender sender,
      Topics topics,
      Shards shards,
      Counters counters,
      Problems problems) {
    this.loop = loop;
    this.sender = sender;
    this.topics = topics;
    this.shards = shards;
    this.counters = counters;
    this.problems = problems;
  }

  /** Takes in a row that was read; true when it is new. */
  boolean admit(Row row, BucketState bucket) {
    if (bucket.rows.containsKey(row.seq) || !topics.admits(row.topic)) {
      return false;
    }
    shards.add(row, bucket);
    if (row.key != null
        && (bucket.shard.blocked.contains(row.key) || moving.containsKey(row.key))) {
      leave(row, bucket.shard, null, null);
    } else if (gate.enter(row)) {
      send(row);
    }
    return true;
  }

  private void send(Row row) {
    ShardState home = row.home;
    if (home == null) {
      passOn(row);
      return;
    }
    Topics.Refusal refusal = topics.refusal(row.topic);
    if (row.message == null) {
      giveUp(row, DeadReason.MALFORMED, "the headers in the row cannot be read by this relay");
    } else if (refusal != null) {
      giveUp(row, refusal.reason(), refusal.detail());
    } else if (!home.lease.isValid(System.nanoTime())) {
      // read again when the lease is renewed
      forget(each -> each.home == home);
    } else {
      if (sending++ == 0) {
        lastAnswer = System.nanoTime();
      }
      if (row.attempts == 0) {
        row.sentAt = System.nanoTime();
      }
      row.state = Row.State.SENDING;
      sender.send(row, failure -> loop.execute(() -> answered(row, failure)));
    }
  }

  private void answered(Row row, @Nullable PublishException failure) {
    sending--;
    lastAnswer = System.nanoTime();
    if (failure == null) {
      counters.sent.increment();
      lastSuccess = lastAnswer;
      row.state = Row.State.LEAVING;
      shards.letGo(row);
      if (row.home != null) {
        acknowledged.add(row);
      }
      passOn(row);
      return;
    }
    counters.failed.increment();
    if (row.home == null) {
      passOn(row);
      return;
    }
    Verdict verdict = Verdict.of(failure.getCause());
    switch (verdict.kind()) {
      case DEAD ->
          giveUp(
              row,
              verdict.reason() == null ? DeadReason.INVALID_RECORD : verdict.reason(),
              failure.reason());
      case NO_TOPIC -> {
        row.state = Row.State.WAITING;
        topics.doubt(row.topic);
        forget(each -> each.topic.equals(row.topic));
      }
      case NO_PRODUCER -> {
        problems.raise(SUBJECT, failure.reason());
        sender.reopen();
        retry(row);
      }
      case AGAIN -> {
        problems.raise(SUBJECT, failure.reason());
        retry(row);
      }
    }
  }

  private void retry(Row row) {
    troubled = true;
    lastFailure = System.nanoTime();
    row.attempts++;
    row.state = Row.State.RETRYING;
    loop.after(
        Backoff.nanos(row.attempts),
        () -> {
          if (row.state == Row.State.RETRYING) {
            send(row);
          }
        });
  }

  /** The row is through, or nobody's: the next of its key may go. */
  private void passOn(Row row) {
    Row next = gate.leave(row);
    if (next != null) {
      send(next);
    }
  }

  private void giveUp(Row row, DeadReason reason, String detail) {
    ShardState home = row.home;
    if (home == null) {
      passOn(row);
      return;
    }
    Problems.LOG.warn(
        "Outbox row {} cannot be sent and stops its key ({}): event {} for {}, key hash {}: {}",
        row.seq,
        reason,
        row.id,
        row.topic,
        row.key == null ? KeyHash.NO_KEY : row.key.hash(),
        detail);
    List<Row> behind = gate.close(row);
    leave(row, home, reason, detail);
    behind.forEach(each -> leave(each, home, null, null));
  }

  private void leave(
      Row row, ShardState home, @Nullable DeadReason reason, @Nullable String detail) {
    row.state = Row.State.LEAVING;
    shards.letGo(row);
    if (row.key != null) {
      moving.merge(row.key, 1, Integer::sum);
    }
    leaving.add(new Leaving(row, home.lease.epoch(), reason, detail));
  }

  /**
   * A row was moved to the dead; or was not, because nothing dead is in front of it any more or its
   * shard is not ours. Then its shard is to be read anew.
   */
  void left(Leaving row, boolean moved) {
    RowKey key = row.row().key;
    if (key == null) {
      return;
    }
    if (moving.merge(key, -1, Integer::sum) == 0) {
      moving.remove(key);
    }
    ShardState shard = shards.get(Buckets.shardOf(row.row().bucket));
    if (moved && shard != null) {
      shard.blocked.add(key);
    }
  }

  /** Forgets rows that are not under way; they are read again. */
  void forget(Predicate<Row> which) {
    List<Row> forgotten = new ArrayList<>();
    shards.forEachRow(
        row -> {
          boolean idle = row.state == Row.State.WAITING || row.state == Row.State.RETRYING;
          if (idle && which.test(row)) {
            forgotten.add(row);
          }
        });
    if (forgotten.isEmpty()) {
      return;
    }
    forgotten.forEach(row -> row.state = Row.State.GONE);
    gate.remove(row -> row.state == Row.State.GONE);
    forgotten.forEach(shards::forget);
  }

  /**
   * Finds the rows that get no further and gives their places to others; what waits behind them is
   * read again when they have got on.
   */
  private void makeRoom() {
    long now = System.nanoTime();
    if (now - lastLook < LOOK_INTERVAL) {
      return;
    }
    lastLook = now;
    Set<RowKey> keys = new HashSet<>();
    shards.forEachRow(
        row -> {
          boolean underWay = row.state == Row.State.SENDING || row.state == Row.State.RETRYING;
          if (underWay && now - row.sentAt > HELD_AFTER) {
            shards.hold(row);
            if (row.key != null) {
              keys.add(row.key);
            }
          }
        });
    if (!keys.isEmpty()) {
      forget(row -> row.state == Row.State.WAITING && row.key != null && keys.contains(row.key));
    }
  }

  /** The acknowledged rows so far; the next call has others. */
  List<Row> takeAcknowledged() {
    List<Row> taken = acknowledged;
    acknowledged = new ArrayList<>();
    return taken;
  }

  boolean hasAcknowledged() {
    return !acknowledged.isEmpty();
  }

  /** The rows for the dead so far; the next call has others. */
  List<Leaving> takeLeaving() {
    List<Leaving> taken = leaving;
    leaving = new ArrayList<>();
    return taken;
  }

  boolean hasLeaving() {
    return !leaving.isEmpty();
  }

  /** Looks after rows that get no further, and says it when the brokers answer nothing at all. */
  void watch() {
    makeRoom();
    // not at the first success: others may fail on, and the log would be full of it
    if (troubled
        && lastSuccess - lastFailure > 0
        && System.nanoTime() - lastFailure > TROUBLE_LASTS) {
      troubled = false;
      problems.clear(SUBJECT);
    }
    if (sending > 0 && System.nanoTime() - lastAnswer > SILENT_TOO_LONG) {
      problems.raise(SILENCE, "no answer to " + sending + " sends for more than 10 s");
    } else {
      problems.clear(SILENCE);
    }
  }
}
