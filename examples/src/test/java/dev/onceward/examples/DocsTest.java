package dev.onceward.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the texts to the code: samples are compiled, and links lead somewhere. */
class DocsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern SAMPLE = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK =
      Pattern.compile(
          "(?:\\]\\(|^\\[[^\\]^]+\\]: )(?!https?:)([^)#\\s]*)(?:#([^)\\s]+))?", Pattern.MULTILINE);
  private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
  private static final Path GUARANTEES = ROOT.resolve("docs/guarantees.md");
  private static final Pattern NAMED_TEST =
      Pattern.compile("`([A-Z]\\w*[a-z](?:Test|IT))(?:#(\\w+))?`");
  private static final String NOT_TESTED = "not tested";

  @Test
  void everyJavaSampleStandsInCodeThatIsCompiled() throws IOException {
    String code = normalized(sources());
    List<String> strangers = new ArrayList<>();
    int samples = 0;
    for (Path text : texts()) {
      Matcher sample = SAMPLE.matcher(Files.readString(text));
      while (sample.find()) {
        samples++;
        if (!code.contains(normalized(sample.group(1)))) {
          strangers.add(ROOT.relativize(text) + ":\n" + sample.group(1));
        }
      }
    }
    assertThat(strangers).isEmpty();
    assertThat(samples).isPositive();
  }

  @Test
  void everyRelativeLinkLeadsToAFileAndAHeading() throws IOException {
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (Path text : texts()) {
      Matcher link = LINK.matcher(Files.readString(text));
      while (link.find()) {
        links++;
        Path target = link.group(1).isEmpty() ? text : text.resolveSibling(link.group(1));
        String heading = link.group(2);
        if (!Files.exists(target) || (heading != null && !anchors(target).contains(heading))) {
          dead.add(ROOT.relativize(text) + " -> " + link.group().strip());
        }
      }
    }
    assertThat(dead).isEmpty();
    assertThat(links).isPositive();
  }

  @Test
  void everyTestThatTheGuaranteesNameExists() throws IOException {
    Map<String, String> tests = tests();
    List<String> missing = new ArrayList<>();
    int names = 0;
    Matcher named = NAMED_TEST.matcher(Files.readString(GUARANTEES));
    while (named.find()) {
      names++;
      String code = tests.get(named.group(1));
      String method = named.group(2);
      if (code == null || (method != null && !declares(code, method))) {
        missing.add(named.group());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(names).isPositive();
  }

  @Test
  void everyFailureOfTheMatrixNamesItsTestOrSaysThatThereIsNone() throws IOException {
    List<String> rows =
        Files.readString(GUARANTEES)
            .lines()
            .dropWhile(line -> !line.equals("## The failure matrix"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("## "))
            .filter(line -> line.startsWith("| **"))
            .toList();

    assertThat(rows)
        .isNotEmpty()
        .allSatisfy(
            row -> {
              String[] cells = row.substring(1).split("(?<!\\\\)\\|", -1);
              assertThat(cells).as(row).hasSize(6);
              String shownBy = cells[4];
              assertThat(shownBy.contains(NOT_TESTED) || NAMED_TEST.matcher(shownBy).find())
                  .as(row)
                  .isTrue();
            });
  }

  private static boolean declares(String code, String method) {
    return Pattern.compile("\\bvoid " + Pattern.quote(method) + "\\(").matcher(code).find();
  }

  /** The sources of the tests of all modules, by the simple names of their classes. */
  private static Map<String, String> tests() throws IOException {
    Map<String, String> tests = new HashMap<>();
    for (String module : modules()) {
      Path sources = ROOT.resolve(module).resolve("src/test/java");
      if (Files.isDirectory(sources)) {
        try (Stream<Path> files = Files.walk(sources)) {
          for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
            String name = String.valueOf(file.getFileName()).replace(".java", "");
            tests.merge(name, Files.readString(file), String::concat);
          }
        }
      }
    }
    return tests;
  }

  private static List<String> modules() throws IOException {
    return Pattern.compile("<module>(.+?)</module>")
        .matcher(Files.readString(ROOT.resolve("pom.xml")))
        .results()
        .map(module -> module.group(1))
        .toList();
  }

  /** The names that a renderer gives to the headings. */
  private static Set<String> anchors(Path text) throws IOException {
    return HEADING
        .matcher(Files.readString(text))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static List<Path> texts() throws IOException {
    List<Path> texts =
        new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).forEach(texts::add);
    }
    return texts;
  }

  private static String sources() throws IOException {
    StringBuilder code = new StringBuilder();
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        if (!file.endsWith("DocsTest.java")) {
          code.append(Files.readString(file)).append('\n');
        }
      }
    }
    return code.toString();
  }

  private static String normalized(String code) {
    return code.replaceAll("\\s+", " ").strip();
  }
}
