package dev.onceward.consumer.internal.handler;

import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxEntry.Mode;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How the versions of entities guard a handler.
 *
 * @param first with {@link Mode#NEXT}, the version entities begin with; empty for any
 * @param row the handler's own row that is guarded on, or null for the inbox's
 */
public record VersionRule(Mode mode, OptionalLong first, @Nullable GuardedRow row) {

  /** Every newer version, guarded on the inbox's row. */
  public static final VersionRule LATEST = new VersionRule(Mode.LATEST, OptionalLong.empty(), null);

  /** Only the next version, beginning with 1, guarded on the inbox's row. */
  public static final VersionRule NEXT = new VersionRule(Mode.NEXT, OptionalLong.of(1), null);

  /**
   * The version of one event.
   *
   * @param acceptsGap whether a later version than the next one is applied too
   */
  public EntityVersion of(String scope, String key, long version, boolean acceptsGap) {
    return new EntityVersion(scope, key, version, acceptsGap ? Mode.LATEST : mode, first, row);
  }
}
