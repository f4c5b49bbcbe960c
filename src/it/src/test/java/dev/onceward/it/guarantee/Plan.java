package dev.onceward.it.guarantee;

import java.util.List;

/**
 * What is to happen to one record. It travels as the event's id, so that every member knows it.
 *
 * @param number the event's running number, unique in the trial
 * @param seq the record's place within its lane, from 0
 * @param failures how many attempts fail before one succeeds, or {@link #FOREVER}
 * @param millis how long each attempt takes
 * @param aborted whether its transaction is aborted
 */
record Plan(int number, int seq, int failures, int millis, boolean aborted) {

  static final int FOREVER = 1_000_000;

  private static final String SEPARATOR = "/";

  String id() {
    return String.join(
        SEPARATOR,
        List.of(
            Integer.toString(number),
            Integer.toString(seq),
            Integer.toString(failures),
            Integer.toString(millis),
            Boolean.toString(aborted)));
  }

  static Plan of(String id) {
    List<String> parts = List.of(id.split(SEPARATOR, -1));
    return new Plan(
        Integer.parseInt(parts.get(0)),
        Integer.parseInt(parts.get(1)),
        Integer.parseInt(parts.get(2)),
        Integer.parseInt(parts.get(3)),
        Boolean.parseBoolean(parts.get(4)));
  }

  boolean failsForEver() {
    return failures == FOREVER;
  }
}
