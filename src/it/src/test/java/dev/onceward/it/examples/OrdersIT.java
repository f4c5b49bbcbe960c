package dev.onceward.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./demo orders}, small: with its crash, its audit and its figures. */
@OncewardTest
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class OrdersIT {

  private static final String TOPIC = "orders.order.events";
  private static final int EVENTS = 1_000;

  @TempDir private Path directory = Path.of("");

  @Test
  void everyEventTakesEffectOnceThroughACrashAndTheFiguresSaySo(
      KafkaServer kafka, TestDatabase database) throws Exception {
    Path json = directory.resolve("figures.json");
    List<String> arguments =
        List.of(
            "orders",
            "--events",
            Integer.toString(EVENTS),
            "--rate",
            "2000",
            "--seed",
            "7",
            "--json",
            json.toString(),
            "--bootstrap-servers",
            kafka.bootstrapServers(),
            "--database-url",
            database.jdbcUrl(),
            "--database-user",
            database.user(),
            "--database-password",
            database.password());

    Console console = Console.ofProcess(directory, arguments);

    assertThat(console.err()).isEmpty();
    assertThat(console.exit()).as(() -> String.join("\n", console.out())).isZero();
    assertThat(console.out())
        .anyMatch(line -> line.contains("kill -9"))
        .anyMatch(line -> line.startsWith("Before the kill: "))
        .noneMatch(line -> line.endsWith(" "))
        .contains("The ledger is exactly what it must be.");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".log"));
    }
    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.fieldNames())
        .toIterable()
        .containsExactly(
            "published",
            "expected",
            "applied",
            "duplicates",
            "stale",
            "deadLettered",
            "lost",
            "doubleApplied",
            "eventsPerSecond",
            "p99Millis");
    assertThat(figures).allMatch(JsonNode::isIntegralNumber);
    assertThat(figures.path("published").asLong()).isEqualTo(EVENTS);
    assertThat(figures.path("applied").asLong())
        .isEqualTo(figures.path("expected").asLong())
        .isBetween((long) EVENTS, 2L * EVENTS);
    assertThat(figures.path("lost").asLong()).isZero();
    assertThat(figures.path("doubleApplied").asLong()).isZero();
    assertThat(figures.path("duplicates").asLong()).isPositive();
    assertThat(figures.path("stale").asLong()).isPositive();
    assertThat(figures.path("deadLettered").asLong()).isPositive();
    assertThat(figures.path("eventsPerSecond").asLong()).isPositive();
    assertThat(figures.path("p99Millis").asLong()).isPositive();
    // two groups get each record: it takes effect, is a duplicate, is stale or is dead-lettered
    assertThat(
            Stream.of("expected", "stale", "duplicates", "deadLettered")
                .mapToLong(name -> figures.path(name).asLong())
                .sum())
        .isEqualTo(2L * EVENTS);
    assertThat(RecordCollector.on(kafka).readAll(TOPIC)).hasSize(EVENTS);

    Console again = Console.inProcess(arguments);
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.err()).singleElement().asString().startsWith("demo: topic " + TOPIC);
    assertThat(again.err().get(0)).contains("not empty");
  }
}
