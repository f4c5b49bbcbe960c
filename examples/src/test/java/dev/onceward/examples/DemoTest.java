package dev.onceward.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
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
          --rate 0                                               | --rate must be at least 1
          --rate fast                                            | '--rate'
          --timeout 0                                            | --timeout must be at least 1
          --no-create                                            | --no-create needs --bootstrap-servers and --database-url
          --no-create --bootstrap-servers localhost:9092         | --no-create needs
          --no-create --database-url jdbc:postgresql://h/d       | --no-create needs
          --start-timeout 0                                      | --start-timeout must be at least 1
          --seed                                                 | --seed
          --bogus                                                | --bogus
          orders surplus                                         | surplus
          --database-url http://localhost/x                      | --database-url must start with jdbc:postgresql://
          --bootstrap-servers ''                                 | --bootstrap-servers must name at least one HOST:PORT
          --bootstrap-servers localhost                          | --bootstrap-servers: 'localhost' is not HOST:PORT
          --bootstrap-servers localhost:9092,other               | --bootstrap-servers: 'other' is not HOST:PORT
          --kafka-property bootstrap.servers=localhost:9092      | use --bootstrap-servers
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
    assertThat(err.toString().lines().toList())
        .hasSizeBetween(2, 3)
        .first(STRING)
        .startsWith("demo: ");
    assertThat(err.toString().lines()).last(STRING).matches("See ./demo (\\w+ )?--help");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aMistypedOptionIsToldWhatIsLikeIt() {
    assertThat(run("webhooks", "--inputs", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--input").endsWith("See ./demo webhooks --help\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "orders --help", "webhooks --help", "--version"})
  void helpIsZero(String arguments) {
    assertThat(run(arguments.split(" "))).isZero();
    assertThat(out.toString()).isNotBlank();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void theHelpSaysWhereTheOptionsAre() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("./demo orders --help", "./demo webhooks --help");
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders --help", "webhooks --help"})
  void theHelpBreaksNoName(String arguments) {
    run(arguments.split(" "));

    // a sentence ends in a dot too, but not in " ." or "/"
    assertThat(out.toString().lines()).noneMatch(line -> line.matches(".*([/=]| \\.)"));
    assertThat(out.toString()).contains("security.protocol=SASL_SSL");
  }

  @Test
  void theVersionIsThatOfTheBuild() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String version = pom.substring(pom.indexOf("<version>") + 9, pom.indexOf("</version>"));

    assertThat(run("--version")).isZero();
    assertThat(out.toString()).isEqualTo("Onceward examples " + version + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders", "webhooks --input pom.xml"})
  void aJsonFileThatCanNotBeWrittenIsToldBeforeAnythingStarts(
      String arguments, @TempDir Path directory) {
    Path file = directory.resolve("none/f.json");

    assertThat(run((arguments + " --json " + file).split(" "))).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "demo: --json: there is no directory "
                + file.getParent()
                + "; create it or name another file");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aJsonFileThatIsADirectoryIsOneLine(@TempDir Path directory) {
    assertThat(run("--json", directory.toString())).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("demo: --json: " + directory + " is a directory; name a file");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anInputThatIsADirectoryIsOneLine(@TempDir Path directory) {
    assertThat(run("webhooks", "--input", directory.toString())).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("demo: --input: " + directory + " is a directory; name a file in it");
    assertThat(out.toString()).isEmpty();
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
