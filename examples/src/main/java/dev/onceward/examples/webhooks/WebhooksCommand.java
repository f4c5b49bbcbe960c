package dev.onceward.examples.webhooks;

import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.examples.DemoFailure;
import dev.onceward.examples.Json;
import dev.onceward.examples.Services;
import dev.onceward.examples.ServicesOptions;
import dev.onceward.examples.Sql;
import dev.onceward.examples.Table;
import dev.onceward.examples.TopicAdmin;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Publishes recorded webhook deliveries and keeps statistics that no second run can change. */
@Command(
    name = "webhooks",
    mixinStandardHelpOptions = true,
    description = {
      "Publishes a file of recorded webhook deliveries, a JSON object"
          + " {\"event\": name, \"payload\": {...}} on each line, and counts them per key and type."
          + " The counts outlive the run; a delivery counts once, however often it is published.",
      "Exit codes: 0 all is counted, 1 it failed, 2 some lines are broken (the others are counted)."
    })
public final class WebhooksCommand implements Callable<Integer> {

  private static final int PARTITIONS = 8;
  private static final int CONCURRENCY = 8;
  private static final int BUSIEST = 5;
  private static final int EXIT_BROKEN_LINES = 2;
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);

  @Mixin private final ServicesOptions options = new ServicesOptions();

  @Option(
      names = "--input",
      required = true,
      paramLabel = "FILE",
      description = "The recorded deliveries.")
  private @Nullable Path input;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = ".onceward/webhooks",
      description = {"Where the statistics are kept", "(default: ${DEFAULT-VALUE})."})
  private Path data = Path.of(".onceward", "webhooks");

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the figures as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "How long the handlers may take (default: ${DEFAULT-VALUE}).")
  private int timeoutSeconds = 120;

  @Spec private @Nullable CommandSpec spec;

  /** For picocli. */
  public WebhooksCommand() {}

  /**
   * The figures of a run.
   *
   * @param in good lines
   * @param broken lines that are no delivery
   * @param applied deliveries counted for the first time
   * @param duplicates deliveries that repeat one counted before, in this run or an earlier one
   * @param deadLettered deliveries that could not be counted
   */
  record Figures(long in, long broken, long applied, long duplicates, long deadLettered) {}

  @Override
  public Integer call() throws Exception {
    options.validate();
    if (timeoutSeconds < 1) {
      throw new ParameterException(
          requireNonNull(spec).commandLine(), "--timeout must be at least 1");
    }
    Path file = requireNonNull(input);
    if (!Files.isReadable(file)) {
      throw new DemoFailure("--input: there is no readable file " + file);
    }
    if (Files.isDirectory(file)) {
      throw new DemoFailure("--input: " + file + " is a directory; name a file in it");
    }
    Json.check(json);
    PrintWriter out = requireNonNull(spec).commandLine().getOut();
    out.println(options.waitingFor());
    out.flush();
    try (Services services = Services.start(options, "webhooks", data);
        HikariDataSource database = services.pool(CONCURRENCY + 2)) {
      JdbcInbox inbox = prepare(services, database);
      RunCounter counter = new RunCounter();
      try (EventConsumer consumer =
          EventConsumer.builder(services.kafkaProperties())
              .group("webhook-statistics")
              .handlers(new Statistics())
              .inbox(inbox)
              .interceptor(counter)
              .concurrency(CONCURRENCY)
              .startTimeout(options.startTimeout())
              // on Ctrl-C the demo's own broker goes at once: there is no group to leave in order
              .stopOnShutdown(!options.ownBroker())
              .build()) {
        consumer.start();
        Figures figures = run(file, services, consumer, counter);
        report(out, figures, database);
        return figures.broken() > 0 ? EXIT_BROKEN_LINES : figures.deadLettered() > 0 ? 1 : 0;
      }
    }
  }

  private JdbcInbox prepare(Services services, DataSource database) throws SQLException {
    JdbcInbox inbox = services.inbox(database);
    if (options.create()) {
      inbox.createSchema();
      Sql.runScript(database, WebhooksCommand.class, "webhooks.sql");
      try (TopicAdmin topics = new TopicAdmin(services.kafkaProperties(), options.startTimeout())) {
        topics.create(Statistics.TOPIC, PARTITIONS);
      }
    } else {
      Sql.requireTables(database, "webhook_statistics");
    }
    return inbox;
  }

  private Figures run(Path file, Services services, EventConsumer consumer, RunCounter counter)
      throws InterruptedException {
    WebhookPublisher publisher = new WebhookPublisher(services.kafkaProperties(), counter.run());
    publisher.publish(new WebhookFile(file));
    PrintWriter err = requireNonNull(spec).commandLine().getErr();
    publisher.broken().forEach(err::println);
    err.flush();
    awaitDone(publisher.published(), consumer, counter);
    return new Figures(
        publisher.published(),
        publisher.broken().size(),
        counter.applied(),
        counter.duplicates(),
        consumer.counts().deadLettered());
  }

  private void awaitDone(long in, EventConsumer consumer, RunCounter counter)
      throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(timeoutSeconds).toNanos();
    while (counter.done() + consumer.counts().deadLettered() < in) {
      Thread.sleep(LOOK_EVERY.toMillis());
      if (consumer.health().failure().isPresent()) {
        consumer.awaitStop();
      }
      if (System.nanoTime() - deadline > 0) {
        throw new DemoFailure(
            "not done within --timeout "
                + timeoutSeconds
                + " s ("
                + (in - counter.done())
                + " events wait; run it again, nothing counts twice): "
                + String.join("; ", consumer.health().problems()));
      }
    }
  }

  private void report(PrintWriter out, Figures figures, DataSource database) throws SQLException {
    Table table = new Table(out);
    table.line("in", figures.in(), "webhook deliveries");
    table.line("broken", figures.broken(), "lines, each named above");
    table.line("applied", figures.applied(), "counted for the first time");
    table.line("duplicates", figures.duplicates(), "repeats, in this file or of a run before");
    table.line("dead-lettered", figures.deadLettered(), "");
    out.printf(
        Locale.ROOT,
        "In %s: %,d deliveries of %,d keys. The busiest:%n",
        services(),
        Sql.number(database, "SELECT coalesce(sum(deliveries), 0) FROM webhook_statistics"),
        Sql.number(database, "SELECT count(DISTINCT entity_key) FROM webhook_statistics"));
    Sql.query(
            database,
            "SELECT entity_key, sum(deliveries), count(*) FROM webhook_statistics"
                + " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT "
                + BUSIEST,
            row ->
                String.format(
                    Locale.ROOT,
                    "  %,7d  %s (%d %s)",
                    row.getLong(2),
                    row.getString(1),
                    row.getLong(3),
                    row.getLong(3) == 1 ? "type" : "types"))
        .forEach(out::println);
    out.flush();
    if (json != null) {
      Json.write(json, figures);
    }
  }

  private String services() {
    return options.ownDatabase() ? data.toString() : "the database";
  }
}
