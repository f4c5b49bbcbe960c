package dev.onceward.testkit;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Where {@link KafkaServer#start()} runs the broker; the system property {@value #PROPERTY}. */
public enum KafkaMode {
  /** In this JVM: the fastest start, no process of its own. */
  EMBEDDED,
  /** In a child JVM: can be killed and paused, cannot touch this JVM. */
  CHILD,
  /** In a container: the broker as it is shipped; needs a Docker engine. */
  TESTCONTAINERS;

  /** The system property that chooses: {@code auto} (the default) or a mode's name. */
  public static final String PROPERTY = "onceward.kafka";

  /**
   * The mode that {@value #PROPERTY} asks for. {@code auto}, and no value, mean {@link #EMBEDDED}
   * even where Docker runs: a test run should neither pull an image nor change its broker because
   * of what happens to be installed.
   *
   * @throws TestkitException when the property has any other value
   */
  public static KafkaMode selected() {
    return of(System.getProperty(PROPERTY, "auto"));
  }

  static KafkaMode of(String value) {
    String name = value.strip().toLowerCase(Locale.ROOT);
    if (name.isEmpty() || name.equals("auto")) {
      return EMBEDDED;
    }
    return Arrays.stream(values())
        .filter(mode -> mode.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new TestkitException(
                    "-D%s=%s is not a broker mode: use auto, %s"
                        .formatted(
                            PROPERTY,
                            value,
                            Arrays.stream(values())
                                .map(mode -> mode.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", ")))));
  }
}
