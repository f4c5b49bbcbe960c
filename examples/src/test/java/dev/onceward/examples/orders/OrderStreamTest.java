package dev.onceward.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.examples.orders.OrderStream.Item;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OrderStreamTest {

  private static final long SEED = 20_261_130;
  private static final int MANY = 5_000;

  @Test
  void theSameSeedGivesTheSameEvents() {
    assertThat(timeless(items(SEED, MANY))).isEqualTo(timeless(items(SEED, MANY)));
  }

  @Test
  void anotherSeedGivesOtherEvents() {
    Set<String> ids = new HashSet<>();
    events(items(SEED, MANY)).forEach(event -> ids.add(event.getId()));

    assertThat(events(items(SEED + 1, MANY)))
        .extracting(Event::getId)
        .doesNotContainAnyElementsOf(ids);
  }

  @Test
  void someEventsComeTwiceAndNoneMoreOften() {
    Map<String, Integer> times = new HashMap<>();
    events(items(SEED, MANY)).forEach(event -> times.merge(event.getId(), 1, Integer::sum));

    assertThat(times.values()).allMatch(n -> n <= 2);
    assertThat(times.values().stream().filter(n -> n == 2).count())
        .isBetween(MANY / 50L, MANY / 10L);
  }

  @Test
  void aRepeatedEventIsTheSameEvent() {
    Map<String, Event> first = new HashMap<>();
    for (Event event : events(items(SEED, MANY))) {
      Event before = first.putIfAbsent(event.getId(), event);
      if (before != null) {
        assertThat(event).isEqualTo(before);
      }
    }
  }

  @Test
  void someOrdersComeOutOfVersionOrder() {
    Map<String, Long> newest = new HashMap<>();
    Set<String> seen = new HashSet<>();
    long stale = 0;
    for (Event event : events(items(SEED, MANY))) {
      long version = event.entityVersion().orElseThrow();
      if (version < 9 && seen.add(event.getId())) {
        Long before = newest.get(event.getSubject());
        if (before != null && before > version) {
          stale++;
        }
        newest.merge(String.valueOf(event.getSubject()), version, Math::max);
      }
    }

    assertThat(stale).isGreaterThan(MANY / 200);
  }

  @Test
  void everyKindOfPoisonComes() {
    List<Item> items = items(SEED, MANY);

    assertThat(items.stream().filter(Item.Garbage.class::isInstance).count()).isPositive();
    // poison events are version 9, which no order has
    List<Event> poison =
        events(items).stream().filter(event -> event.entityVersion().orElseThrow() == 9).toList();
    assertThat(poison).anyMatch(event -> text(event).contains("\"amountCents\":-1"));
    assertThat(poison).anyMatch(event -> text(event).endsWith("\"a lot"));
    long all = poison.size() + items.stream().filter(Item.Garbage.class::isInstance).count();
    assertThat(all).isBetween(MANY / 1_000L, MANY / 50L);
  }

  @Test
  void everyEventIsKeyedByItsOrderAndVersioned() {
    assertThat(events(items(SEED, MANY)))
        .allMatch(event -> event.entityKey().orElseThrow().startsWith("order-" + SEED + "-"))
        .allMatch(event -> event.entityVersion().isPresent());
  }

  private static List<Item> items(long seed, int count) {
    OrderStream stream = new OrderStream(seed);
    return Stream.generate(stream::next).limit(count).toList();
  }

  /** The time is that of sending. */
  private static List<Item> timeless(List<Item> items) {
    OffsetDateTime fixed = OffsetDateTime.parse("2026-01-01T00:00:00Z");
    return items.stream()
        .map(
            item ->
                item instanceof Item.OfEvent one
                    ? new Item.OfEvent(one.event().toBuilder().time(fixed).build())
                    : item)
        .toList();
  }

  private static List<Event> events(List<Item> items) {
    return items.stream()
        .filter(Item.OfEvent.class::isInstance)
        .map(item -> ((Item.OfEvent) item).event())
        .toList();
  }

  private static String text(Event event) {
    byte[] data = event.payload();
    return data == null ? "" : new String(data, java.nio.charset.StandardCharsets.UTF_8);
  }
}
