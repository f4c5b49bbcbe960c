package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.ModelGroup.require;

import dev.onceward.consumer.internal.engine.ModelRecord.Kind;
import dev.onceward.consumer.internal.engine.ModelSource.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Drives a {@link ModelGroup} by numbers, and then to its end. */
final class ModelDriver {

  private static final List<Answer> ANSWERS = List.of(Answer.values());
  private static final int MOST_MEMBERS = 2;
  private static final int MOST_ROUNDS = 3_000;

  private final ModelGroup group;
  private final IntSupplier numbers;
  private final boolean faults;
  private final int mostKillers;
  private int killers;
  private int externalDeaths;

  /**
   * Creates it.
   *
   * @param numbers not negative; they say what happens
   * @param faults whether anything but a killer may go wrong
   * @param mostKillers how many records may kill their process
   */
  ModelDriver(ModelGroup group, IntSupplier numbers, boolean faults, int mostKillers) {
    this.group = group;
    this.numbers = numbers;
    this.faults = faults;
    this.mostKillers = mostKillers;
  }

  int killers() {
    return killers;
  }

  /** Deaths that no record is to blame for. */
  int externalDeaths() {
    return externalDeaths;
  }

  private int number(int bound) {
    return numbers.getAsInt() % bound;
  }

  private static <T> @Nullable T pick(List<T> list, int number) {
    return list.isEmpty() ? null : list.get(number % list.size());
  }

  /** One thing happens, if it can. */
  void step() {
    int what = number(100);
    if (what < 12) {
      append();
    } else if (group.members.isEmpty()) {
      assignAll(group.join());
    } else {
      ModelMember member = group.members.get(number(group.members.size()));
      act(member, what);
    }
    group.check();
  }

  private void act(ModelMember member, int what) {
    if (what < 26) {
      member.poll();
    } else if (what < 42) {
      member.commitWhenDue();
    } else if (what < 54) {
      member.answer(!faults || number(4) > 0 ? Answer.TAKEN : anyAnswer());
    } else if (what < 72) {
      Work work = pick(member.running, number(1 << 20));
      if (work != null) {
        member.end(work);
      }
    } else if (what < 77) {
      Work work = pick(member.retries, number(1 << 20));
      if (work != null) {
        member.retry(work);
      }
    } else if (what < 81) {
      Work work = pick(member.letters, number(1 << 20));
      if (work != null) {
        member.acknowledge(work);
      }
    } else if (what < 83) {
      member.holdNext();
    } else if (what < 85) {
      Work work = pick(member.held, number(1 << 20));
      if (work != null) {
        member.letGo(work, number(2) == 0);
      }
    } else if (what < 87) {
      group.nanos += Duration.ofMillis(150).toNanos();
    } else if (faults) {
      goWrong(member, what);
    }
  }

  private Answer anyAnswer() {
    return ANSWERS.get(number(ANSWERS.size()));
  }

  private void goWrong(ModelMember member, int what) {
    TopicPartition id = group.id(numbers.getAsInt());
    if (what < 89) {
      handOver(id);
    } else if (what < 91) {
      ModelMember owner = group.owner(id);
      if (owner != null) {
        owner.lose(id);
      }
    } else if (what < 92) {
      takeAwaySilently(id);
    } else if (what < 93) {
      externalDeaths++;
      member.die();
    } else if (what < 95) {
      if (group.members.size() < MOST_MEMBERS) {
        group.join();
      }
    } else if (what < 97) {
      assignAll(member);
    } else if (what < 98) {
      group.nanos += Duration.ofSeconds(11).toNanos();
    } else if (what < 99) {
      cutOff(id);
    } else {
      tellZombies();
    }
  }

  private void append() {
    TopicPartition id = group.id(numbers.getAsInt());
    int count = 1 + number(group.settings.mostAppended());
    for (int i = 0; i < count; i++) {
      int kind = number(20);
      boolean kills = kind == 19 && killers < mostKillers;
      killers += kills ? 1 : 0;
      group.append(
          id,
          kind % 7 == 0 ? 2 : 0,
          "key-" + number(group.settings.keys()),
          kills
              ? Kind.KILLS_ITS_PROCESS
              : kind == 18 ? Kind.ALWAYS_FAILS : kind >= 16 ? Kind.FAILS_TWICE : Kind.GOOD);
    }
  }

  /** Drains as much as the numbers say, and gives the partition up. */
  private void handOver(TopicPartition id) {
    ModelMember owner = group.owner(id);
    if (owner == null) {
      return;
    }
    owner.startNoMore(id);
    if (number(4) > 0) {
      drain(owner, id);
    }
    if (!owner.isDead()) {
      owner.revoke(id, number(5) == 0);
    }
  }

  private static void drain(ModelMember owner, TopicPartition id) {
    boolean idle = false;
    while (!idle && !owner.isDead()) {
      Work work = null;
      for (Work running : owner.running) {
        work = running.partition().id().equals(id) ? running : work;
      }
      idle = work == null;
      if (work != null) {
        owner.end(work);
      }
    }
    if (!owner.isDead()) {
      List.copyOf(owner.letters).stream()
          .filter(work -> work.partition().id().equals(id))
          .forEach(owner::acknowledge);
    }
  }

  /** Another member owns the partition, and the one that did does not know yet. */
  private void takeAwaySilently(TopicPartition id) {
    ModelMember owner = group.owner(id);
    for (ModelMember other : group.members) {
      if (owner != null && other != owner && !other.owns(id)) {
        group.endsUncleanly(id);
        other.assign(id);
        return;
      }
    }
  }

  private void tellZombies() {
    for (ModelMember member : group.members) {
      for (TopicPartition id : group.ids()) {
        if (member.owns(id) && group.owner(id) != member) {
          member.lose(id);
        }
      }
    }
  }

  private void assignAll(ModelMember member) {
    for (TopicPartition id : group.ids()) {
      if (group.owner(id) == null && !member.owns(id)) {
        member.assign(id);
      }
    }
  }

  /** Loses what is above the committed offset, as an unclean election can. */
  private void cutOff(TopicPartition id) {
    boolean zombie = group.members.stream().anyMatch(m -> m.owns(id) && group.owner(id) != m);
    long committed = group.committedOffset(id);
    long end = group.end(id);
    if (zombie || committed >= end) {
      return;
    }
    ModelMember owner = group.owner(id);
    if (owner != null) {
      owner.answer(Answer.TAKEN);
      committed = group.committedOffset(id);
      if (committed >= end) {
        return;
      }
    }
    long from = committed + number((int) (end - committed));
    group.cutOff(id, from);
    if (owner != null) {
      owner.cutOff(id, from);
      owner.poll();
    }
  }

  /** From here on nothing goes wrong but what records do: everything must come to its end. */
  void finishAll() {
    int rounds = 0;
    while (!(group.isAllFinished() && group.isAllCommitted())) {
      require(rounds++ < MOST_ROUNDS, "stuck", group.deaths, group.told(group.id(0)));
      if (group.members.isEmpty()) {
        group.join();
      }
      tellZombies();
      assignAll(group.members.get(rounds % group.members.size()));
      for (ModelMember member : List.copyOf(group.members)) {
        round(member);
        group.check();
      }
    }
  }

  private void round(ModelMember member) {
    group.nanos += Duration.ofMillis(200).toNanos();
    List.copyOf(member.held).forEach(work -> member.letGo(work, false));
    member.poll();
    member.commitWhenDue();
    member.answer(Answer.TAKEN);
    List<Work> ended = new ArrayList<>(member.running);
    for (Work work : ended) {
      if (!member.isDead()) {
        member.end(work);
        group.check();
      }
    }
    if (!member.isDead()) {
      List.copyOf(member.retries).forEach(member::retry);
      List.copyOf(member.letters).forEach(member::acknowledge);
    }
  }
}
