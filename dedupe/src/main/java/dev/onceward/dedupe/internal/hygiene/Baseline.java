package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.Leak;
import dev.onceward.dedupe.hygiene.LeakKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a clean session looks like. Immutable.
 *
 * @param names the names of the settings
 * @param settings their values; null when the server is not asked, because it is not PostgreSQL
 * @param parameters what the driver knows; empty when it tells nothing
 */
record Baseline(
    List<String> names, @Nullable List<String> settings, Map<String, String> parameters) {

  /** Whether the server can be asked. */
  boolean asksServer() {
    return settings != null;
  }

  /** What the driver knows to be different. */
  List<Leak> compare(Map<String, String> now) {
    List<Leak> leaks = new ArrayList<>();
    parameters.forEach(
        (name, value) -> {
          if (!Objects.equals(now.get(name), value)) {
            leaks.add(setting(name));
          }
        });
    return leaks;
  }

  /** What the server shows to be different on a session without a transaction. */
  List<Leak> compare(ServerState now) {
    List<Leak> leaks = new ArrayList<>();
    for (String name : changed(now)) {
      leaks.add(setting(name));
    }
    if (now.advisoryLocks() > 0) {
      leaks.add(new Leak(LeakKind.ADVISORY_LOCK, now.advisoryLocks() + " held"));
    }
    add(leaks, LeakKind.TEMPORARY_TABLE, now.temporary());
    add(leaks, LeakKind.LISTEN, now.channels());
    add(leaks, LeakKind.HOLDABLE_CURSOR, now.cursors());
    return leaks;
  }

  /** The settings with other values than here. */
  List<String> changed(ServerState now) {
    List<String> changed = new ArrayList<>();
    for (int i = 0; settings != null && i < names.size(); i++) {
      if (!settings.get(i).equals(now.settings().get(i))) {
        changed.add(names.get(i));
      }
    }
    return changed;
  }

  /** The same, with the present values of these settings, which are in lower case. */
  Baseline with(Set<String> changed, ServerState now, Map<String, String> nowParameters) {
    List<String> newSettings = settings == null ? null : new ArrayList<>(settings);
    for (int i = 0; newSettings != null && i < names.size(); i++) {
      if (changed.contains(names.get(i))) {
        newSettings.set(i, now.settings().get(i));
      }
    }
    Map<String, String> newParameters = new HashMap<>(parameters);
    newParameters.replaceAll(
        (name, value) ->
            changed.contains(name.toLowerCase(Locale.ROOT))
                ? nowParameters.getOrDefault(name, value)
                : value);
    return new Baseline(
        names, newSettings == null ? null : List.copyOf(newSettings), Map.copyOf(newParameters));
  }

  static void add(List<Leak> leaks, LeakKind kind, List<String> names) {
    if (!names.isEmpty()) {
      leaks.add(new Leak(kind, String.join(", ", names)));
    }
  }

  static Leak setting(String name) {
    return switch (name) {
      case ServerQuery.ROLE, ServerQuery.SESSION_AUTHORIZATION -> new Leak(LeakKind.ROLE, name);
      case ServerQuery.SEARCH_PATH -> Leak.of(LeakKind.SEARCH_PATH);
      default -> new Leak(LeakKind.SETTING, name);
    };
  }
}
