package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.envelope.Event;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class VersionShuffleTest {
  private final List<Event> events = Events.versions("order-1", 5);

  @Test
  void theSameSeedGivesTheSamePermutations() {
    List<List<Event>> first = VersionShuffle.seeded(42).permutations(events).limit(20).toList();
    assertThat(VersionShuffle.seeded(42).permutations(events).limit(20)).isEqualTo(first);
    assertThat(VersionShuffle.seeded(43).permutations(events).limit(20)).isNotEqualTo(first);
    assertThat(first).doesNotContain(events);
    assertThat(first).allSatisfy(p -> assertThat(p).containsExactlyInAnyOrderElementsOf(events));
    assertThat(first.stream().distinct().count()).isGreaterThan(5);
  }

  @Test
  void twoVersionsAreSwapped() {
    List<Event> two = Events.versions("order-1", 2);
    assertThat(VersionShuffle.seeded(1).shuffled(two)).containsExactly(two.get(1), two.get(0));
  }

  @Test
  void aRandomShuffleTellsHowToRepeatIt() {
    VersionShuffle random = VersionShuffle.random();
    assertThat(random.toString())
        .contains("-D" + VersionShuffle.SEED_PROPERTY + "=" + random.seed());
    assertThat(VersionShuffle.seeded(random.seed()).shuffled(events))
        .isEqualTo(random.shuffled(events));
  }

  @Test
  void newestFirstIsTheReverse() {
    assertThat(VersionShuffle.newestFirst(events).stream().map(e -> e.entityVersion().getAsLong()))
        .containsExactly(5L, 4L, 3L, 2L, 1L);
  }

  @Test
  void otherEntitiesRepeatedAndMissingVersionsAreNamed() {
    VersionShuffle shuffle = VersionShuffle.seeded(1);
    assertThatThrownBy(
            () -> shuffle.shuffled(List.of(Events.of("order-1", 1), Events.of("order-2", 2))))
        .hasMessageContaining("event order-2-2 is of another entity");
    assertThatThrownBy(
            () -> shuffle.shuffled(List.of(Events.of("order-1", 1), Events.of("order-1", 1))))
        .hasMessageContaining("event order-1-1 repeats version 1");
    Event without =
        Event.builder()
            .id("bare")
            .source(URI.create("/orders"))
            .type("com.acme.orders.placed.v1")
            .entityKey("order-1")
            .build();
    assertThatThrownBy(() -> shuffle.shuffled(List.of(Events.of("order-1", 1), without)))
        .hasMessageContaining("event bare has no entity version");
    assertThatThrownBy(() -> shuffle.shuffled(List.of(without)))
        .hasMessageContaining("two or more");
  }
}
