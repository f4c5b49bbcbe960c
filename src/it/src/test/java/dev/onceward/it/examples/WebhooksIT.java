package dev.onceward.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./demo webhooks} as its users run it. */
@OncewardTest
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class WebhooksIT {

  private static final String OPENED =
      "{\"event\": \"issues\", \"payload\": {\"action\": \"opened\", \"issue\": {\"number\": 1},"
          + " \"repository\": {\"full_name\": \"acme/shop\"}}}";
  private static final String OPENED_IN_OTHER_ORDER =
      "{\"payload\": {\"repository\": {\"full_name\": \"acme/shop\"}, \"issue\": {\"number\": 1},"
          + " \"action\": \"opened\"}, \"event\": \"issues\"}";
  private static final String CLOSED = OPENED.replace("opened", "closed");
  private static final String PUSH =
      "{\"event\": \"push\", \"payload\": {\"repository\": {\"full_name\": \"acme/shop\"}}}";
  private static final String MEMBER =
      "{\"event\": \"member\", \"payload\": {\"organization\": {\"login\": \"acme\"}}}";
  private static final String PING = "{\"event\": \"ping\", \"payload\": {\"zen\": \"s3cret\"}}";
  private static final String LARGE = push(900_000);
  private static final String TOO_LARGE = push(1_000_000);

  /** Five are distinct, three are repeated, and of the nine lines that remain three are blank. */
  private static final String LINES =
      String.join(
          "\n",
          OPENED,
          "",
          CLOSED,
          OPENED,
          "{\"event\": \"push\", \"payload\": s3cret}",
          PUSH,
          "   ",
          "{\"payload\": {\"s3cret\": 1}}",
          OPENED_IN_OTHER_ORDER + "\r",
          MEMBER,
          "[\"s3cret\"]",
          PING,
          TOO_LARGE,
          PING,
          "");

  private static String push(int bytes) {
    return "{\"event\": \"push\", \"payload\": {\"data\": \"s3cret" + "x".repeat(bytes) + "\"}}";
  }

  @TempDir private Path directory = Path.of("");
  private Path input = Path.of("");
  private Path json = Path.of("");

  @BeforeEach
  void writeInput() throws IOException {
    input = Files.writeString(directory.resolve("in.jsonl"), LINES);
    json = directory.resolve("figures.json");
  }

  @Test
  void aSecondRunChangesNothingAndADirectoryInUseIsNamed() throws Exception {
    Path data = directory.resolve("data");
    List<String> arguments =
        List.of(
            "webhooks",
            "--input",
            input.toString(),
            "--data",
            data.toString(),
            "--json",
            json.toString());

    Console first = Console.ofProcess(directory, arguments);
    assertBrokenLinesAreNamed(first);
    assertFigures(8, 4, 5, 3);
    assertThat(String.join("\n", first.out()))
        .contains("In " + data + ": 5 deliveries of 3 keys")
        .contains("3  acme/shop (3 types)");

    Console second = Console.ofProcess(directory, arguments);
    assertBrokenLinesAreNamed(second);
    assertFigures(8, 4, 0, 8);
    assertThat(String.join("\n", second.out())).contains("In " + data + ": 5 deliveries of 3 keys");

    try (PostgresServer other = PostgresServer.builder().directory(data).start()) {
      assertThat(other.isRunning()).isTrue();
      Console third = Console.ofProcess(directory, arguments);

      assertThat(third.exit()).isEqualTo(1);
      assertThat(third.err())
          .singleElement()
          .asString()
          .startsWith("demo: --data: directory " + data + " is in use by process ")
          .contains("choose another directory");
    }
  }

  @Test
  void goodLinesAloneExitWithZeroAndAreCountedPerKeyAndType(
      KafkaServer kafka, TestDatabase database) throws Exception {
    Files.writeString(input, String.join("\n", OPENED, CLOSED, OPENED, PUSH, MEMBER, PING));
    List<String> arguments =
        List.of(
            "webhooks",
            "--input",
            input.toString(),
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

    Console first = Console.inProcess(arguments);
    assertThat(first.err()).isEmpty();
    assertThat(first.exit()).isZero();
    assertFigures(6, 0, 5, 1);
    Map<String, Long> counted = statistics(database);
    assertThat(counted)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "acme/shop com.github.issues.opened.v1", 1L,
                "acme/shop com.github.issues.closed.v1", 1L,
                "acme/shop com.github.push.v1", 1L,
                "acme com.github.member.v1", 1L,
                "ping com.github.ping.v1", 1L));

    // what the first run published is on this broker still, and must not count for the second
    Console second = Console.inProcess(arguments);
    assertThat(second.exit()).isZero();
    assertFigures(6, 0, 0, 6);
    assertThat(statistics(database)).isEqualTo(counted);
  }

  @Test
  void aLargeDeliveryIsCountedUnlessTheClientsMayNotSendIt(
      KafkaServer kafka, PostgresServer postgres) throws Exception {
    // that of the class is counted by another test
    TestDatabase database = postgres.createDatabase("large_deliveries");
    Files.writeString(input, String.join("\n", PING, LARGE));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "webhooks",
                "--input",
                input.toString(),
                "--json",
                json.toString(),
                "--bootstrap-servers",
                kafka.bootstrapServers(),
                "--database-url",
                database.jdbcUrl(),
                "--database-user",
                database.user(),
                "--database-password",
                database.password()));

    Console whole = Console.inProcess(arguments);
    assertThat(whole.err()).isEmpty();
    assertThat(whole.exit()).isZero();
    assertFigures(2, 0, 2, 0);
    assertThat(String.join("\n", whole.out())).contains("1  ping (1 type)");

    arguments.addAll(List.of("--kafka-property", "max.request.size=200000"));
    Console limited = Console.inProcess(arguments);
    assertThat(limited.exit()).isEqualTo(2);
    assertThat(limited.err())
        .singleElement()
        .asString()
        .startsWith("line 2: the payload has 900,017 bytes")
        .contains("max.request.size", "max.message.bytes of topic github.webhook.events");
    assertFigures(1, 1, 0, 1);
  }

  private static void assertBrokenLinesAreNamed(Console console) {
    assertThat(console.exit()).isEqualTo(2);
    assertThat(console.err()).hasSize(4).noneMatch(line -> line.contains("s3cret"));
    assertThat(console.err().get(0)).startsWith("line 5: not JSON: Unrecognized token");
    assertThat(console.err().get(1)).startsWith("line 8: \"event\" is missing");
    assertThat(console.err().get(2)).startsWith("line 11: not a JSON object");
    assertThat(console.err().get(3))
        .startsWith("line 13: the payload has 1,000,017 bytes")
        .contains("no more than 1,000,000", "leave the line out");
  }

  private void assertFigures(long in, long broken, long applied, long duplicates)
      throws IOException {
    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures)
        .isEqualTo(
            new ObjectMapper()
                .createObjectNode()
                .put("in", (int) in)
                .put("broken", (int) broken)
                .put("applied", (int) applied)
                .put("duplicates", (int) duplicates)
                .put("deadLettered", 0));
  }

  private static Map<String, Long> statistics(TestDatabase database) throws SQLException {
    Map<String, Long> found = new TreeMap<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT entity_key, event_type, deliveries FROM webhook_statistics")) {
      while (rows.next()) {
        found.put(rows.getString(1) + " " + rows.getString(2), rows.getLong(3));
      }
    }
    return found;
  }
}
