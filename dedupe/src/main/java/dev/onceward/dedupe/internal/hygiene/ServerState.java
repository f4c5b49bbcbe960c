package dev.onceward.dedupe.internal.hygiene;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as the server describes it.
 *
 * @param settings the watched settings, in the order of the query; empty and unset are both empty
 * @param advisoryLocks how many advisory locks are held, those of the transaction among them
 * @param temporary names of temporary tables, views and sequences
 * @param channels what the session listens to; inside a transaction those of earlier ones
 * @param cursors holdable cursors
 */
record ServerState(
    List<String> settings,
    long advisoryLocks,
    List<String> temporary,
    List<String> channels,
    List<String> cursors) {

  static String text(@Nullable String setting) {
    return setting == null ? "" : setting;
  }
}
