package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.Mode;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The version guard of one claim.
 *
 * @param row where the applied version stands
 * @param version the version that the event brings
 * @param mode which versions are applied
 * @param first what an unseen entity begins with in mode NEXT; empty: anything
 */
public record Guard(EntityRow row, long version, Mode mode, OptionalLong first) {

  /** What the guard says to an event. */
  public enum Judgement {
    FRESH,
    STALE,
    GAP
  }

  static Guard of(String handlerId, EntityVersion version) {
    EntityRow row =
        version.row() == null
            ? new EntityRow.Own(handlerId, PairHash.of(version.scope(), version.key()))
            : new EntityRow.Foreign(version.row(), version.key());
    return new Guard(row, version.version(), version.mode(), version.first());
  }

  /** The judgement when {@code applied} was applied last; null: nothing was. */
  public Judgement judge(@Nullable Long applied) {
    if (applied == null) {
      return mode == Mode.LATEST || first.isEmpty() ? Judgement.FRESH : compare(first.getAsLong());
    }
    if (version <= applied) {
      return Judgement.STALE;
    }
    // no overflow: something is greater
    return mode == Mode.LATEST ? Judgement.FRESH : compare(applied + 1);
  }

  private Judgement compare(long next) {
    return version == next ? Judgement.FRESH : version < next ? Judgement.STALE : Judgement.GAP;
  }
}
