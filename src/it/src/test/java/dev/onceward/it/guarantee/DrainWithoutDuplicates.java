package dev.onceward.it.guarantee;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Drain without duplicates: a record that a run has finished is delivered again only when the
 * member that finished it could not say so: its process was killed, or a handler of the same
 * partition did not return within the drain budget. In all other hand-overs, whether by a rebalance
 * or a stop, each record is finished once.
 */
final class DrainWithoutDuplicates implements Guarantee {

  /** Why a finished record was delivered again. */
  enum Why {
    /** The member that had finished it was killed. */
    KILLED,
    /** That member had to interrupt a handler of the partition when it gave it up. */
    OUT_OF_BUDGET,
    /** Nothing that the schedule did excuses it. */
    UNEXPLAINED
  }

  private record Owner(String member, TopicPartition partition) {}

  private final Observer observer;
  private final Set<Owner> cutShort = new HashSet<>();
  private final Map<Why, Integer> duplicates = new EnumMap<>(Why.class);
  private final List<String> unexplained = new ArrayList<>();

  DrainWithoutDuplicates(Observer observer) {
    this.observer = observer;
  }

  @Override
  public void begun(Run run) {
    String finisher = observer.deliveries().finisher(run.partition(), run.offset);
    if (finisher == null) {
      return;
    }
    Why why = why(finisher, run);
    duplicates.merge(why, 1, Integer::sum);
    if (why == Why.UNEXPLAINED) {
      unexplained.add(run + " had been finished by " + finisher);
    }
  }

  private Why why(String finisher, Run run) {
    if (observer.wasKilled(finisher)) {
      return Why.KILLED;
    }
    return cutShort.contains(new Owner(finisher, run.partition()))
        ? Why.OUT_OF_BUDGET
        : Why.UNEXPLAINED;
  }

  @Override
  public void ended(Run run, End end) {
    if (end == End.CUT_SHORT) {
      cutShort.add(new Owner(run.member, run.partition()));
    }
  }

  int duplicates(Why why) {
    return duplicates.getOrDefault(why, 0);
  }

  @Override
  public void check(Findings findings) {
    unexplained.forEach(one -> findings.breach(this, one));
  }
}
