package dev.onceward.it.guarantee;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Serial processing of a key: at any time at most one run of a key of a partition goes on, over all
 * members of the group. A run that was interrupted goes on until its handler has returned; one in a
 * process that was killed ends with the process.
 */
final class NoOverlapOfAKey implements Guarantee {

  private final Map<Lane, List<Run>> running = new HashMap<>();
  private final List<String> overlaps = new ArrayList<>();

  @Override
  public void begun(Run run) {
    List<Run> ofLane = running.computeIfAbsent(run.lane, l -> new ArrayList<>(1));
    if (!ofLane.isEmpty()) {
      overlaps.add(run + " began while " + ofLane + " went on");
    }
    ofLane.add(run);
  }

  @Override
  public void ended(Run run, End end) {
    List<Run> ofLane = running.get(run.lane);
    if (ofLane == null || !ofLane.remove(run)) {
      throw new IllegalStateException(run + " ended and had not begun");
    }
    if (ofLane.isEmpty()) {
      running.remove(run.lane);
    }
  }

  int overlaps() {
    return overlaps.size();
  }

  @Override
  public void check(Findings findings) {
    overlaps.forEach(overlap -> findings.breach(this, overlap));
  }
}
