package dev.onceward.examples.orders;

import dev.onceward.examples.Table;
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

  /**
   * Prints the figures and what they mean.
   *
   * @param beforeKill the part that is measured before the crash, which is in no figure above
   * @param rate how many records were published a second
   */
  void print(PrintWriter out, Speed beforeKill, int rate, List<String> findings) {
    Table table = new Table(out);
    table.line("published", published, "records; some twice, some out of order, some poison");
    table.line("expected", expected, "effects: ledger bookings and shipment changes");
    table.line("applied", applied, "of them are committed");
    table.line("duplicates", duplicates, "second deliveries without a second effect");
    table.line("stale", stale, "older versions that changed no shipment");
    table.line("dead-lettered", deadLettered, "poison records, in two dead-letter topics");
    table.line("lost", lost, "effects or dead letters that are missing");
    table.line("double-applied", doubleApplied, "effects too many");
    table.line("events/s", eventsPerSecond, "of the whole run, kill -9 and restart included");
    table.line("p99", p99Millis, "ms from publish to committed effect");
    out.printf(
        Locale.ROOT,
        "The p99 counts the wait behind all that is published, at %,d a second and not stopped by"
            + " the crash.%nBefore the kill: %,d effects a second, p99 %,d ms.%n",
        rate,
        beforeKill.effectsPerSecond(),
        beforeKill.p99Millis());
    findings.stream().limit(10).forEach(finding -> out.println("  ! " + finding));
    if (findings.size() > 10) {
      out.printf(Locale.ROOT, "  ! and %,d more%n", findings.size() - 10);
    }
    out.println(
        findings.isEmpty()
            ? "The ledger is exactly what it must be."
            : "The ledger is NOT what it must be.");
    out.flush();
  }
}
