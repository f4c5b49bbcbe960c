package dev.onceward.it.guarantee;

/** A failure that the plan asks for. */
final class PlannedFailure extends Exception {

  PlannedFailure(Plan plan) {
    super("planned failure of event " + plan.number());
  }

  static boolean isBehind(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof PlannedFailure) {
        return true;
      }
    }
    return false;
  }
}
