package dev.onceward.examples;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which broker and database to use; by default the demo starts its own. */
public final class ServicesOptions {

  private static final String BOOTSTRAP_PROPERTY = "bootstrap.servers";

  /** As Kafka reads it, an IPv6 address in brackets. */
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(?:[\\w%.-]*://)?\\[?[\\w:%.-]+]?:[0-9]{1,5}");

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Kafka brokers to use instead of one that the demo starts.")
  private @Nullable String bootstrapServers;

  @Option(
      names = "--kafka-property",
      paramLabel = "NAME=VALUE",
      description = "A property of the Kafka clients, such as %n  security.protocol=SASL_SSL.")
  // no map: to split it, picocli looks into the quotes of a value, and warns with what it finds
  private final List<String> kafkaProperties = new ArrayList<>();

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      description = "JDBC URL of a PostgreSQL database to use instead of one that the demo starts.")
  private @Nullable String databaseUrl;

  @Option(
      names = "--database-user",
      paramLabel = "NAME",
      defaultValue = "postgres",
      description = "User of that database (default: ${DEFAULT-VALUE}).")
  private String databaseUser = "postgres";

  @Option(
      names = "--database-password",
      paramLabel = "PASSWORD",
      defaultValue = "${env:ONCEWARD_DATABASE_PASSWORD:-}",
      description = "Its password (default: $ONCEWARD_DATABASE_PASSWORD).")
  private String databasePassword = "";

  @Option(names = "--no-create", description = "Creates no topic and no table: they must be there.")
  private boolean noCreate;

  @Option(
      names = "--start-timeout",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "How long to wait for broker and database (default: ${DEFAULT-VALUE}).")
  private int startTimeoutSeconds = 15;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  /**
   * Refuses values that cannot be meant.
   *
   * @throws ParameterException for the first of them; it is wrong usage
   */
  public void validate() {
    require(startTimeoutSeconds >= 1, "--start-timeout must be at least 1");
    require(
        databaseUrl == null || databaseUrl.startsWith(Database.URL_PREFIX),
        "--database-url must start with " + Database.URL_PREFIX + "//");
    require(
        bootstrapServers == null || !bootstrapServers.isBlank(),
        "--bootstrap-servers must name at least one HOST:PORT");
    for (String server : bootstrapServers == null ? new String[0] : bootstrapServers.split(",")) {
      require(
          HOST_AND_PORT.matcher(server.strip()).matches(),
          "--bootstrap-servers: '" + server.strip() + "' is not HOST:PORT, such as localhost:9092");
    }
    require(
        kafkaProperties.stream().allMatch(property -> property.indexOf('=') > 0),
        "--kafka-property must be NAME=VALUE");
    require(
        !kafkaProperties().containsKey(BOOTSTRAP_PROPERTY),
        "--kafka-property " + BOOTSTRAP_PROPERTY + ": use --bootstrap-servers");
    require(
        create() || (bootstrapServers != null && databaseUrl != null),
        "--no-create needs --bootstrap-servers and --database-url: servers that the demo starts are"
            + " empty");
  }

  private void require(boolean met, String problem) {
    if (!met) {
      throw new ParameterException(Objects.requireNonNull(command).commandLine(), problem);
    }
  }

  @Nullable String bootstrapServers() {
    return bootstrapServers;
  }

  /** The properties, once they are {@linkplain #validate valid}. */
  Map<String, String> kafkaProperties() {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String property : kafkaProperties) {
      int equals = property.indexOf('=');
      properties.put(property.substring(0, equals).strip(), property.substring(equals + 1));
    }
    return properties;
  }

  @Nullable String databaseUrl() {
    return databaseUrl;
  }

  String databaseUser() {
    return databaseUser;
  }

  String databasePassword() {
    return databasePassword;
  }

  /** What the user waits for. */
  public String waitingFor() {
    if (bootstrapServers == null) {
      return databaseUrl == null
          ? "Starting Kafka and PostgreSQL ..."
          : "Starting Kafka, connecting to PostgreSQL ...";
    }
    return databaseUrl == null
        ? "Starting PostgreSQL, connecting to Kafka ..."
        : "Connecting to Kafka and PostgreSQL ...";
  }

  /** Whether the example runs a broker of its own. */
  public boolean ownBroker() {
    return bootstrapServers == null;
  }

  /** Whether the example runs a database of its own. */
  public boolean ownDatabase() {
    return databaseUrl == null;
  }

  /** Whether the example may create topics and tables that are missing. */
  public boolean create() {
    return !noCreate;
  }

  /** How long to wait for broker and database. */
  public Duration startTimeout() {
    return Duration.ofSeconds(startTimeoutSeconds);
  }
}
