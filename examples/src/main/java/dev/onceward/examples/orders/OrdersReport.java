package dev.onceward.examples.orders;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * The figures of a run.
 *
 * @param published records on the topic, duplicates and poison included
 * @param expected effects there must be: bookings in the ledger and changes of shipments
 * @param applied of those, the effects there are
 * @param duplicates deliveries of an event published twice, without a second effect
 * @param stale events that came after a newer version of their order, and changed no shipment
 * @param deadLettered poison records in the dead-letter topics of the two groups
 * @param lost effects and dead letters that are missing
 * @param doubleApplied effects that are there more often than they must be
 * @param eventsPerSecond published records by the time from the first to the last effect
 * @param p99Millis 99th percentile of the time from publishing an event to its committed effect
 */
record OrdersReport(
    long published,
    long expected,
    long applied,
    long duplicates,
    long stale,
    long deadLettered,
    long lost,
    long doubleApplied,
    long eventsPerSecond,
    long p99Millis) {

  void print(PrintWriter out, List<String> findings) {
    line(out, "published", published, "records; some twice, some out of order, some poison");
    line(out, "expected", expected, "effects: ledger bookings and shipment changes");
    line(out, "applied", applied, "of them are committed");
    line(out, "duplicates", duplicates, "second deliveries without a second effect");
    line(out, "stale", stale, "older versions that changed no shipment");
    line(out, "dead-lettered", deadLettered, "poison records, in two dead-letter topics");
    line(out, "lost", lost, "");
    line(out, "applied twice", doubleApplied, "");
    line(out, "events/s", eventsPerSecond, "kill -9 and restart included");
    line(out, "p99", p99Millis, "ms from publish to committed effect, crash included");
    findings.stream().limit(10).forEach(finding -> out.println("  ! " + finding));
    if (findings.size() > 10) {
      out.printf("  ! and %,d more%n", findings.size() - 10);
    }
    out.println(
        findings.isEmpty()
            ? "The ledger is exactly what it must be."
            : "The ledger is NOT what it must be.");
    out.flush();
  }

  private static void line(PrintWriter out, String name, long value, String note) {
    out.printf(Locale.ROOT, "  %-14s %,9d  %s%n", name, value, note);
  }
}
