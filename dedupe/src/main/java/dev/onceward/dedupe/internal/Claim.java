package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An inbox entry in the form in which the database compares it.
 *
 * @param handlerId the handler's registered name
 * @param eventId only for messages
 * @param eventKey the dedupe key, or null when the entry is not idempotent
 * @param entityKey the key of the version row, or null when the entry is not guarded
 * @param version the version to advance to; meaningless without an entity key
 */
public record Claim(
    String handlerId,
    String eventId,
    @Nullable UUID eventKey,
    @Nullable UUID entityKey,
    long version) {

  private static final int LONGEST_SHOWN = 100;
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u2028\\u2029\\u0085]");

  public static Claim of(InboxEntry entry) {
    EntityVersion version = entry.version();
    return new Claim(
        entry.handlerId(),
        entry.eventId(),
        entry.idempotent() ? PairHash.of(entry.source().toString(), entry.eventId()) : null,
        version == null ? null : PairHash.of(version.scope(), version.key()),
        version == null ? 0 : version.version());
  }

  /** Whether there is nothing to claim: a plain transaction. */
  public boolean isEmpty() {
    return eventKey == null && entityKey == null;
  }

  /** The event and handler, for messages of one line. */
  public String describe() {
    String shown =
        eventId.length() <= LONGEST_SHOWN ? eventId : eventId.substring(0, LONGEST_SHOWN) + "...";
    return "event " + CONTROL.matcher(shown).replaceAll("?") + " in handler " + handlerId;
  }
}
