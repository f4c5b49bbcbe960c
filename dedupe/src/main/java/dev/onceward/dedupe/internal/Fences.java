package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.CommitRefusedException;
import dev.onceward.dedupe.FencedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether fences still hold. The look before the commit locks them, so that a new owner's
 * fence is taken either before, and the commit refused, or after the commit is done. The lock is
 * taken as late as that, so that a new owner does not wait for a slow handler.
 */
final class Fences {
  private final Dialect dialect;
  private final Diagnosis diagnosis;

  Fences(Dialect dialect, Diagnosis diagnosis) {
    this.dialect = dialect;
    this.diagnosis = diagnosis;
  }

  /** Throws if one of the fences was taken by somebody else. */
  static void require(
      List<FenceClaim> claims, Map<FenceKey, FenceState> found, Supplier<String> what) {
    for (FenceClaim claim : claims) {
      FenceState state = found.get(claim.key());
      if (state == null || state.epoch() != claim.epoch()) {
        throw fenced(claim, state, what.get());
      }
    }
  }

  /** The last step before the commit. */
  void confirm(Connection connection, Batch batch, List<FenceClaim> claims) throws SQLException {
    if (claims.isEmpty()) {
      return;
    }
    Map<FenceKey, FenceState> found;
    try {
      found = dialect.confirm(connection, claims);
    } catch (SQLException e) {
      if (SqlStates.is(e, SqlStates.IDLE_IN_TRANSACTION)) {
        throw e;
      }
      throw diagnosis.failed("check the fence of " + batch.describe(), e);
    }
    require(claims, found, batch::describe);
    for (FenceClaim claim : claims) {
      FenceState state = found.get(claim.key());
      if (claim.moves() && state != null && state.nextOffset().isPresent()) {
        requireInOrder(claim, state.nextOffset().getAsLong(), batch);
      }
    }
  }

  private static void requireInOrder(FenceClaim claim, long stored, Batch batch)
      throws SQLException {
    if (stored > claim.next()) {
      throw new CommitRefusedException(
          "rolled back "
              + batch.describe()
              + ": offset "
              + (stored - 1)
              + " of "
              + claim.key()
              + " was committed while it ran; idempotency OFFSET needs handlers that take the"
              + " events of a partition one after the other",
          null);
    }
    if (stored > claim.lowest()) {
      // the same events: an earlier attempt whose commit was not answered
      throw new SQLException(
          "the offset of " + claim.key() + " was moved by a concurrent transaction",
          SqlStates.SERIALIZATION_FAILURE);
    }
  }

  private static FencedException fenced(FenceClaim claim, @Nullable FenceState state, String what) {
    return new FencedException(
        "did not commit "
            + what
            + ": its owner's fence of "
            + claim.key()
            + " has epoch "
            + claim.epoch()
            + (state == null
                ? ", but the database has none; take it with Inbox.takeFence"
                : ", but epoch " + state.epoch() + " was taken since; the partition has moved on"));
  }
}
