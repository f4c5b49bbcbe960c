package dev.onceward.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line before anything is started. */
class DemoTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ships                                                  | ships
          --events 999                                           | --events must be at least 1000
          --events many                                          | --events
          --rate 0                                               | --rate
          --timeout 0                                            | --timeout
          --start-timeout 0                                      | --start-timeout must be at least 1
          --seed                                                 | --seed
          --bogus                                                | --bogus
          orders surplus                                         | surplus
          --database-url http://localhost/x                      | --database-url must start with jdbc:postgresql://
          --bootstrap-servers ''                                 | --bootstrap-servers must name at least one HOST:PORT
          --kafka-property security.protocol                     | --kafka-property must be NAME=VALUE
          --kafka-property =PLAINTEXT                            | --kafka-property must be NAME=VALUE
          webhooks                                               | --input
          webhooks --input pom.xml --timeout 0                   | --timeout must be at least 1
          webhooks --input pom.xml --events 5                    | --events
          webhooks --input pom.xml --start-timeout -1            | --start-timeout
          """)
  void wrongUsageIsTwoAndNamesTheOption(String arguments, String named) {
    int exit = run(arguments.split(" "));

    assertThat(exit).isEqualTo(2);
    assertThat(err.toString()).contains(named).doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "orders --help", "webhooks --help", "--version"})
  void helpIsZero(String arguments) {
    assertThat(run(arguments.split(" "))).isZero();
    assertThat(out.toString()).isNotBlank();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anInputThatIsNotThereIsOneLine(@TempDir Path directory) {
    Path missing = directory.resolve("none.jsonl");

    assertThat(run("webhooks", "--input", missing.toString())).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("demo: --input: there is no readable file " + missing);
  }

  @Test
  void theDefaultIsOrders() {
    assertThat(Demo.withDefault(new String[] {})).containsExactly("orders");
    assertThat(Demo.withDefault(new String[] {"--events", "5"}))
        .containsExactly("orders", "--events", "5");
    assertThat(Demo.withDefault(new String[] {"webhooks", "--help"}))
        .containsExactly("webhooks", "--help");
    assertThat(Demo.withDefault(new String[] {"--help"})).containsExactly("--help");
  }

  private int run(String... arguments) {
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = arguments[i].replace("''", "");
    }
    return Demo.commandLine(Path.of("the.log"))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(Demo.withDefault(arguments));
  }
}
