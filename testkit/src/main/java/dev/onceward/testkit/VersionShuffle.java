package dev.onceward.testkit;

import dev.onceward.envelope.Event;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Puts the events of one entity out of version order, repeatably. Not thread-safe: each call takes
 * the next permutation.
 */
public final class VersionShuffle {
  /** The system property with the seed that {@link #random()} uses. */
  public static final String SEED_PROPERTY = "onceward.seed";

  private final long seed;
  private final Random random;

  private VersionShuffle(long seed) {
    this.seed = seed;
    this.random = new Random(seed);
  }

  /** The same permutations for the same seed. */
  public static VersionShuffle seeded(long seed) {
    return new VersionShuffle(seed);
  }

  /**
   * A new seed each time, printed to standard output so that a failure can be repeated with {@code
   * -Donceward.seed=...}.
   */
  public static VersionShuffle random() {
    Long given = Long.getLong(SEED_PROPERTY);
    if (given == null && System.getProperty(SEED_PROPERTY) != null) {
      throw new TestkitException(
          "-D%s=%s is no whole number".formatted(SEED_PROPERTY, System.getProperty(SEED_PROPERTY)));
    }
    VersionShuffle shuffle = new VersionShuffle(given == null ? new Random().nextLong() : given);
    System.out.println(shuffle);
    return shuffle;
  }

  /** The seed, to repeat a run with. */
  public long seed() {
    return seed;
  }

  /**
   * A permutation that is not the version order.
   *
   * @param events two or more events of one entity, each with a version of its own
   * @throws IllegalArgumentException when they are not; the message names the event
   */
  public List<Event> shuffled(List<Event> events) {
    check(events);
    List<Event> result = new ArrayList<>(events);
    do {
      Collections.shuffle(result, random);
    } while (inOrder(result));
    return List.copyOf(result);
  }

  /** Endless {@linkplain #shuffled permutations}; they may repeat. */
  public Stream<List<Event>> permutations(List<Event> events) {
    check(events);
    List<Event> copy = List.copyOf(events);
    return Stream.generate(() -> shuffled(copy));
  }

  /** The worst order: the newest version first. */
  public static List<Event> newestFirst(List<Event> events) {
    check(events);
    return events.stream()
        .sorted(Comparator.comparingLong(VersionShuffle::version).reversed())
        .toList();
  }

  private static boolean inOrder(List<Event> events) {
    for (int i = 1; i < events.size(); i++) {
      if (version(events.get(i)) < version(events.get(i - 1))) {
        return false;
      }
    }
    return true;
  }

  private static long version(Event event) {
    return event
        .entityVersion()
        .orElseThrow(
            () ->
                new IllegalArgumentException("event " + event.getId() + " has no entity version"));
  }

  private static void check(List<Event> events) {
    if (events.size() < 2) {
      throw new IllegalArgumentException(
          "give two or more events to shuffle, not " + events.size());
    }
    Optional<String> entity = events.get(0).entityKey();
    Set<Long> versions = new HashSet<>();
    for (Event event : events) {
      if (!event.entityKey().equals(entity)) {
        throw new IllegalArgumentException(
            "event %s is of another entity than event %s"
                .formatted(event.getId(), events.get(0).getId()));
      }
      if (!versions.add(version(event))) {
        throw new IllegalArgumentException(
            "event %s repeats version %d".formatted(event.getId(), version(event)));
      }
    }
  }

  @Override
  public String toString() {
    return "VersionShuffle seed %d (repeat with -D%s=%d)".formatted(seed, SEED_PROPERTY, seed);
  }
}
