package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Processes that die, and what those after them make of what they find. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineCrashTest {

  private static final int PARTITIONS = 2;
  private static final int RECORDS = 60;
  private static final int MAX_CRASHES = RetryPolicy.standard().maxCrashes();

  private static final String NOBODY = "";

  /** The deaths in which a record was the only one that was being handled. */
  private final Map<String, Integer> alone = new HashMap<>();

  private final AtomicReference<@Nullable EngineLife> present = new AtomicReference<>();

  @RepeatedTest(4)
  void killersAreDeadLetteredAfterABoundedNumberOfDeathsAndAllElseIsDone() throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    Set<String> killers = new HashSet<>();
    while (killers.size() < 3) {
      killers.add(random.nextInt(PARTITIONS) + "@" + random.nextInt(RECORDS));
    }
    int deaths = live(killers, 0);

    String seen = "seed " + seed + ", killers " + killers + ", deaths " + deaths;
    // one before a commit could name it, two in the midst of others, and those that prove it
    assertThat(deaths).as(seen).isBetween(MAX_CRASHES + 1, killers.size() * (MAX_CRASHES + 3));
    assertThat(lettersByReason()).as(seen).isEqualTo(Map.of("CONSUMER_CRASH", places(killers)));
    present().assertNoViolation();
  }

  @RepeatedTest(4)
  void whateverDiesWhenAllIsDoneAndNobodyIsTakenForAKiller() throws Exception {
    int kills = 8;
    assertThat(live(Set.of(), kills)).isEqualTo(kills);
    for (String place : lettersByReason().getOrDefault("CONSUMER_CRASH", Set.of())) {
      // chance may have it that the same one is alone whenever a process is killed; and between two
      // that run alone the one before is still named
      assertThat(alone.getOrDefault(place, 0) + alone.getOrDefault(NOBODY, 0))
          .isGreaterThanOrEqualTo(MAX_CRASHES);
    }
    present().assertNoViolation();
  }

  /** Life after life until everything is finished and committed; returns the deaths. */
  private int live(Set<String> killers, int kills) throws InterruptedException {
    EngineLife life = builder(killers).build();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      life.append(partition, RECORDS, 11);
    }
    int deaths = 0;
    boolean done = false;
    while (!done) {
      EngineLife current = life;
      present.set(current);
      current.consumer().rebalanceTo(current.partitions(PARTITIONS));
      current.start();
      if (deaths < kills) {
        long begun =
            1L + current.truth().begun() + ThreadLocalRandom.current().nextInt(RECORDS / 4);
        eventually().until(() -> current.truth().begun() >= begun || isDone(current));
        current.die();
      }
      eventually().until(() -> current.isDead() || isDone(current));
      done = !current.isDead();
      current.close();
      eventually().until(current::hasEnded);
      if (current.isDead()) {
        deaths++;
        Set<String> ran = current.ranAtDeath();
        if (ran.size() < 2) {
          alone.merge(ran.isEmpty() ? NOBODY : ran.iterator().next(), 1, Integer::sum);
        }
        life = builder(killers).after(current).build();
      }
    }
    return deaths;
  }

  private EngineLife present() {
    return Objects.requireNonNull(present.get());
  }

  private static boolean isDone(EngineLife life) {
    assertThat(life.engine().failure()).isEmpty();
    return life.isComplete(PARTITIONS);
  }

  private EngineLifeBuilder builder(Set<String> killers) {
    return EngineLife.builder()
        .inFlight(40, 7)
        .commitInterval(Duration.ofMillis(2))
        // the dead need no time to leave
        .drainBudget(Duration.ofMillis(1))
        .handler(delivery -> handle(delivery, killers));
  }

  private void handle(Delivery delivery, Set<String> killers) throws InterruptedException {
    if (killers.contains(delivery.partition() + "@" + delivery.offset())) {
      present().die();
      new CountDownLatch(1).await();
    }
    Thread.sleep(1);
  }

  private String place(int partition, long offset) {
    return present().partition(partition) + "@" + offset;
  }

  private Set<String> places(Set<String> shortened) {
    return shortened.stream()
        .map(text -> text.split("@", 2))
        .map(parts -> place(Integer.parseInt(parts[0]), Long.parseLong(parts[1])))
        .collect(Collectors.toSet());
  }

  private Map<String, Set<String>> lettersByReason() {
    Map<String, Set<String>> places = new HashMap<>();
    present()
        .letters()
        .forEach(
            letter -> {
              Map<String, String> headers = new HashMap<>();
              letter
                  .headers()
                  .forEach(
                      h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
              String place =
                  place(
                      Integer.parseInt(String.valueOf(headers.get("__dlq.errors.partition"))),
                      Long.parseLong(String.valueOf(headers.get("__dlq.errors.offset"))));
              places
                  .computeIfAbsent(
                      String.valueOf(headers.get("dlq_reason")), any -> new HashSet<>())
                  .add(place);
            });
    return places;
  }
}
