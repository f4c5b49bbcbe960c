package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An inbox entry in the form in which the database compares it.
 *
 * @param handlerId the handler's registered name
 * @param eventId only for messages
 * @param event the dedupe row, or null when the entry writes none
 * @param guard the version guard, or null when the entry has none
 * @param fence which fence it needs, or null
 * @param epoch the fence's epoch; meaningless without a fence
 * @param offset the offset that is claimed, if any
 */
public record Claim(
    String handlerId,
    String eventId,
    @Nullable EventRow event,
    @Nullable Guard guard,
    @Nullable FenceKey fence,
    long epoch,
    OptionalLong offset) {

  private static final int LONGEST_SHOWN = 100;
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u2028\\u2029\\u0085]");

  static Claim of(InboxEntry entry, Buckets buckets) {
    return new Claim(
        entry.handlerId(),
        entry.eventId(),
        entry.idempotency() == Idempotency.EVENT
            ? new EventRow(
                entry.handlerId(),
                buckets.of(entry.eventId(), entry.eventTime()),
                PairHash.of(entry.source().toString(), entry.eventId()))
            : null,
        entry.version() == null ? null : Guard.of(entry.handlerId(), entry.version()),
        entry.fence() == null ? null : FenceKey.of(entry.fence().scope()),
        entry.fence() == null ? 0 : entry.fence().epoch(),
        entry.offset());
  }

  /** Whether it needs the handler's number. */
  boolean needsHandler() {
    return event != null || (guard != null && guard.row() instanceof EntityRow.Own);
  }

  /** The event and handler, for messages of one line. */
  public String describe() {
    String shown =
        eventId.length() <= LONGEST_SHOWN ? eventId : eventId.substring(0, LONGEST_SHOWN) + "...";
    return "event " + CONTROL.matcher(shown).replaceAll("?") + " in handler " + handlerId;
  }
}
