package dev.onceward.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.examples.Sql;
import dev.onceward.examples.orders.OrdersCommand;
import dev.onceward.examples.webhooks.WebhooksCommand;
import dev.onceward.it.start.Ports;
import dev.onceward.it.start.Running;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.TcpProxy;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A demo that cannot start says why in one line, and which option mends it. */
@OncewardTest
@Isolated("looks at all threads and clients of the JVM")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DemoStartIT {

  private static final String SECRET = "s3cret-9f";
  private static final int TIMEOUT_SECONDS = 20;
  private static final Map<String, String> IMPATIENT = Map.of("--start-timeout", "2");

  /** On a slow machine: what a JVM and closing may take. */
  private static final Duration SLACK = Duration.ofSeconds(15);

  @TempDir private Path directory = Path.of("");

  private final KafkaServer kafka =
      KafkaServer.start(KafkaSettings.builder().saslPlain("app", "right-one-" + SECRET).build());
  private final PostgresServer postgres;
  private final TestDatabase database;
  private final TcpProxy hanging;
  private Path input = Path.of("");

  DemoStartIT(PostgresServer postgres, TestDatabase database) {
    this.postgres = postgres;
    this.database = database;
    this.hanging = TcpProxy.to(postgres.port());
  }

  // not in the field: that gets its directory for each test, after this
  @BeforeAll
  void prepare(@TempDir Path inputs) throws IOException, SQLException {
    hanging.freeze();
    JdbcInbox.on(database.dataSource()).createSchema();
    Sql.runScript(database.dataSource(), OrdersCommand.class, "orders.sql");
    Sql.runScript(database.dataSource(), WebhooksCommand.class, "webhooks.sql");
    input =
        Files.writeString(inputs.resolve("in.jsonl"), "{\"event\": \"ping\", \"payload\": {}}\n");
  }

  @AfterAll
  void stop() {
    hanging.close();
    kafka.close();
  }

  /** One wrong option, and what the line must name. */
  record Case(String command, String name, Map<String, String> options, List<String> named) {
    @Override
    public String toString() {
      return command + ": " + name;
    }
  }

  Stream<Case> cases() {
    return Stream.of("webhooks", "orders")
        .flatMap(
            command ->
                Stream.of(
                    wrong(
                        command,
                        "closed broker port",
                        soon("--bootstrap-servers", "127.0.0.1:" + Ports.closed()),
                        "bootstrap.servers=127.0.0.1:",
                        "no broker answered within 2 s"),
                    wrong(
                        command,
                        "broker that does not answer",
                        soon("--bootstrap-servers", "127.0.0.1:" + hanging.port()),
                        "bootstrap.servers=127.0.0.1:" + hanging.port()),
                    wrong(
                        command,
                        "host that does not exist",
                        soon("--bootstrap-servers", "no-such-host.invalid:9092"),
                        "bootstrap.servers=no-such-host.invalid:9092",
                        "resolved"),
                    wrong(
                        command,
                        "port that cannot be",
                        soon("--bootstrap-servers", "localhost:99999"),
                        "--bootstrap-servers: ",
                        "localhost:99999; use host:port"),
                    wrong(
                        command,
                        "wrong broker password",
                        Map.of("sasl.jaas.config", jaas("wrong-" + SECRET + "\";")),
                        "sasl.jaas.config",
                        "refused the credentials"),
                    wrong(
                        command,
                        "JAAS entry without its end",
                        Map.of("sasl.jaas.config", jaas(SECRET)),
                        "sasl.jaas.config cannot be read"),
                    wrong(
                        command,
                        "property that Kafka refuses",
                        Map.of("security.protocol", "SALS"),
                        "--kafka-property",
                        "security.protocol"),
                    wrong(
                        command,
                        "topic that may not be created",
                        Map.of("--no-create", ""),
                        command.equals("orders") ? "orders.order.events" : "github.webhook.events",
                        "does not exist",
                        "create it"),
                    wrong(
                        command,
                        "closed database port",
                        Map.of(
                            "--database-url",
                            "jdbc:postgresql://127.0.0.1:" + Ports.closed() + "/x"),
                        "--database-url: no PostgreSQL server answers at jdbc:postgresql://"),
                    wrong(
                        command,
                        "database that does not answer",
                        soon(
                            "--database-url",
                            "jdbc:postgresql://127.0.0.1:" + hanging.port() + "/x"),
                        "--database-url: no PostgreSQL server answers at jdbc:postgresql://"),
                    wrong(
                        command,
                        "wrong database password",
                        Map.of("--database-password", SECRET),
                        "--database-password",
                        "does not let user postgres in"),
                    wrong(
                        command,
                        "password in the URL",
                        Map.of(
                            "--database-url",
                            "jdbc:postgresql://127.0.0.1:1/x?sslmode=disable&password=" + SECRET),
                        "--database-url"),
                    wrong(
                        command,
                        "database that does not exist",
                        Map.of(
                            "--database-url",
                            "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/nowhere"),
                        "--database-url: there is no such database",
                        "/nowhere"),
                    wrong(
                        command,
                        "tables that may not be created",
                        Map.of("--no-create", "", "--database-url", postgres.jdbcUrl()),
                        "--database-url " + postgres.jdbcUrl(),
                        "--no-create")));
  }

  /** With a timeout that is waited for. */
  private static Map<String, String> soon(String option, String value) {
    Map<String, String> options = new LinkedHashMap<>(IMPATIENT);
    options.put(option, value);
    return options;
  }

  private static Case wrong(
      String command, String name, Map<String, String> options, String... named) {
    return new Case(command, name, options, List.of(named));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void whatIsWrongIsToldInOneLine(Case wrong) {
    Running before = Running.now();

    Console console = Console.inProcess(arguments(wrong.command(), wrong.options()));

    assertOneLine(console, wrong.named());
    before.awaitNothingMore();
  }

  @Test
  void aProcessShowsOneLineAndNoStackTrace() throws Exception {
    Console console =
        Console.ofProcess(
            directory,
            arguments("orders", soon("--bootstrap-servers", "127.0.0.1:" + Ports.closed())));

    assertOneLine(console, List.of("bootstrap.servers=127.0.0.1:"));
  }

  @Test
  void aProcessDoesNotShowThePasswordOfABrokenJaasEntry() throws Exception {
    Console console =
        Console.ofProcess(
            directory, arguments("webhooks", Map.of("sasl.jaas.config", jaas(SECRET))));

    assertOneLine(console, List.of("sasl.jaas.config cannot be read"));
    // a log that the line does not name is no use, and is a place where a secret might be
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".log"));
    }
  }

  private static void assertOneLine(Console console, List<String> named) {
    assertThat(console.exit()).isEqualTo(1);
    assertThat(console.err()).hasSize(1);
    assertThat(console.err().get(0))
        .startsWith("demo: ")
        .contains(named)
        .doesNotContain(SECRET)
        .doesNotContain("Exception")
        .hasSizeLessThan(600);
    assertThat(console.out()).containsExactly("Connecting to Kafka and PostgreSQL ...");
    assertThat(console.took()).isLessThan(Duration.ofSeconds(TIMEOUT_SECONDS).plus(SLACK));
  }

  /** Everything is right but for {@code options}, the names of Kafka properties among them. */
  private List<String> arguments(String command, Map<String, String> options) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("--bootstrap-servers", kafka.bootstrapServers());
    all.put("--database-url", database.jdbcUrl());
    all.put("--database-user", database.user());
    all.put("--database-password", database.password());
    all.put("--start-timeout", Integer.toString(TIMEOUT_SECONDS));
    kafka
        .clientProperties()
        .forEach(
            (name, value) -> {
              if (!name.equals("bootstrap.servers")) {
                all.put(name, value.toString());
              }
            });
    all.putAll(options);
    List<String> arguments = new ArrayList<>();
    arguments.add(command);
    if (command.equals("webhooks")) {
      arguments.addAll(List.of("--input", input.toString()));
    }
    all.forEach(
        (name, value) -> {
          if (value.isEmpty()) {
            arguments.add(name);
          } else if (name.startsWith("--")) {
            arguments.addAll(List.of(name, value));
          } else {
            arguments.addAll(List.of("--kafka-property", name + "=" + value));
          }
        });
    return arguments;
  }

  private static String jaas(String end) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required"
        + " username=\"app\" password=\""
        + end;
  }
}
