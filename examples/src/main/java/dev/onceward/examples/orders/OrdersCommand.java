package dev.onceward.examples.orders;

import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.examples.DemoFailure;
import dev.onceward.examples.Json;
import dev.onceward.examples.Services;
import dev.onceward.examples.ServicesOptions;
import dev.onceward.examples.Sql;
import dev.onceward.examples.TopicAdmin;
import dev.onceward.testkit.RecordCollector;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The main job, end to end: publish → Kafka → handlers → PostgreSQL, with a crash half way. */
@Command(
    name = "orders",
    mixinStandardHelpOptions = true,
    description = {
      "Publishes the events of a busy shop to Kafka, handles them in two groups (billing keeps a"
          + " ledger, shipping keeps state), kills the application with -9 half way, starts it again,"
          + " and checks that every event took effect exactly once.",
      "Exit codes: 0 the ledger is exact, 1 it is not or the demo failed, 2 wrong usage."
    })
public final class OrdersCommand implements Callable<Integer> {

  private static final int PARTITIONS = 8;
  private static final int MIN_EVENTS = 1_000;
  private static final List<String> GROUPS = List.of("billing", "shipping");
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);
  private static final Duration TELL_EVERY = Duration.ofSeconds(1);

  @Mixin private final ServicesOptions options = new ServicesOptions();

  @Option(
      names = "--events",
      paramLabel = "N",
      defaultValue = "22000",
      description = "How many records to publish, at least 1,000 (default: ${DEFAULT-VALUE}).")
  private int events = 22_000;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many to publish a second (default: ${DEFAULT-VALUE}).")
  private int rate = 1_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Makes the same orders again (default: a new one, which is printed).")
  private long seed = System.currentTimeMillis();

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the figures as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description = "How long the handlers may take (default: ${DEFAULT-VALUE}).")
  private int timeoutSeconds = 300;

  @Spec private @Nullable CommandSpec spec;

  /** For picocli. */
  public OrdersCommand() {}

  @Override
  public Integer call() throws Exception {
    CommandSpec command = requireNonNull(spec);
    options.validate();
    require(events >= MIN_EVENTS, "--events must be at least 1000");
    require(rate >= 1, "--rate must be at least 1");
    require(timeoutSeconds >= 1, "--timeout must be at least 1");
    Json.check(json);
    PrintWriter out = command.commandLine().getOut();
    out.println(options.waitingFor());
    out.flush();
    try (Services services = Services.start(options, "orders", null);
        HikariDataSource database = services.pool(4);
        TopicAdmin topics = new TopicAdmin(services.kafkaProperties(), options.startTimeout())) {
      prepare(services.inbox(database), database, topics);
      return run(out, services, database, topics);
    }
  }

  private void require(boolean met, String problem) {
    if (!met) {
      throw new ParameterException(requireNonNull(spec).commandLine(), problem);
    }
  }

  private void prepare(JdbcInbox inbox, DataSource database, TopicAdmin topics)
      throws SQLException {
    if (options.create()) {
      topics.create(OrderEvents.TOPIC, PARTITIONS);
      inbox.createSchema();
      Sql.runScript(database, OrdersCommand.class, "orders.sql");
    } else {
      Sql.requireTables(database, "ledger", "shipment", "shipment_journal");
    }
    inbox.verify(options.startTimeout());
    long before = topics.ends(OrderEvents.TOPIC).values().stream().mapToLong(Long::longValue).sum();
    if (before > 0 || Sql.number(database, "SELECT count(*) FROM ledger") > 0) {
      throw new DemoFailure(
          "topic "
              + OrderEvents.TOPIC
              + " or table ledger is not empty; the demo checks every record in them, so give it a"
              + " broker and a database of its own");
    }
  }

  private int run(PrintWriter out, Services services, DataSource database, TopicAdmin topics)
      throws Exception {
    OrderPublisher publisher =
        new OrderPublisher(services.kafkaProperties(), new OrderStream(seed), events, rate);
    Progress progress = new Progress(out, publisher, database);
    out.println("Starting the application ...");
    out.flush();
    AppProcess app = AppProcess.start(services.kafkaProperties(), services.database());
    OffsetDateTime killedAt;
    try {
      progress.untilReady(app, topics);
      out.printf(
          Locale.ROOT, "Publishing %,d records at %,d a second (seed %d)%n", events, rate, seed);
      CompletableFuture<Void> publishing = CompletableFuture.runAsync(publisher::publishAll);
      progress.untilHalf(app, publishing);
      long pid = app.pid();
      app.kill();
      killedAt = now(database);
      out.printf(Locale.ROOT, "  kill -9 %d, half way; starting it again%n", pid);
      out.flush();
      app = AppProcess.start(services.kafkaProperties(), services.database());
      progress.untilPublished(app, publishing);
      progress.untilDone(app, topics);
      if (!app.stop()) {
        out.println("  the application did not stop within its time and was killed");
      }
    } finally {
      app.kill();
    }
    return audit(out, services, database, killedAt);
  }

  /** By the clock that the effects are stamped with. */
  private static OffsetDateTime now(DataSource database) throws SQLException {
    return Sql.query(
            database, "SELECT clock_timestamp()", row -> row.getObject(1, OffsetDateTime.class))
        .get(0);
  }

  private int audit(
      PrintWriter out, Services services, DataSource database, OffsetDateTime killedAt)
      throws Exception {
    Audit audit = new Audit();
    RecordCollector records = RecordCollector.on(services.kafkaProperties());
    records.readAll(OrderEvents.TOPIC).forEach(audit::record);
    audit.compare(database);
    for (String group : GROUPS) {
      audit.compareDeadLetters(group, records.readAll(OrderEvents.TOPIC + "." + group + ".dlq"));
    }
    if (audit.records() != events) {
      audit.findings().add("the topic holds " + audit.records() + " records, not " + events);
    }
    Speed speed = Speed.of(database);
    OrdersReport report =
        new OrdersReport(
            audit.records(),
            audit.expected(),
            audit.applied(),
            audit.duplicates(),
            audit.stale(),
            audit.deadLettered(),
            audit.lost(),
            audit.doubled(),
            Math.round(audit.records() / speed.seconds()),
            speed.p99Millis());
    report.print(out, Speed.until(killedAt, database), rate, audit.findings());
    if (json != null) {
      Json.write(json, report);
    }
    return audit.findings().isEmpty() ? 0 : 1;
  }

  /** Looks at the tables while the application works, and tells what it sees. */
  private final class Progress {
    private final PrintWriter out;
    private final OrderPublisher publisher;
    private final DataSource database;
    private final long deadline = System.nanoTime() + Duration.ofSeconds(timeoutSeconds).toNanos();
    private long told = System.nanoTime();

    Progress(PrintWriter out, OrderPublisher publisher, DataSource database) {
      this.out = out;
      this.publisher = publisher;
      this.database = database;
    }

    /** What is published earlier waits for the application's start, and shows nothing else. */
    void untilReady(AppProcess app, TopicAdmin topics) throws Exception {
      while (!GROUPS.stream().allMatch(topics::isStable)) {
        look(app);
      }
      told = System.nanoTime();
    }

    void untilHalf(AppProcess app, CompletableFuture<Void> publishing) throws Exception {
      while (look(app) < events / 2) {
        if (publishing.isCompletedExceptionally()) {
          publishing.join();
        }
      }
    }

    void untilPublished(AppProcess app, CompletableFuture<Void> publishing) throws Exception {
      while (!publishing.isDone()) {
        look(app);
      }
      publishing.join();
    }

    void untilDone(AppProcess app, TopicAdmin topics) throws Exception {
      Map<TopicPartition, Long> ends = topics.ends(OrderEvents.TOPIC);
      long lag = 1;
      while (lag > 0) {
        look(app);
        lag = 0;
        for (String group : GROUPS) {
          lag += topics.lag(group, ends);
        }
      }
    }

    /** Waits a moment; returns how many bookings there are. */
    private long look(AppProcess app) throws Exception {
      Thread.sleep(LOOK_EVERY.toMillis());
      if (!app.isAlive()) {
        throw DemoFailure.seeLog("the application ended by itself");
      }
      long bookings = Sql.number(database, "SELECT count(*) FROM ledger");
      long now = System.nanoTime();
      if (publisher.acknowledged() > 0 && now - told > TELL_EVERY.toNanos()) {
        told = now;
        out.printf(
            Locale.ROOT,
            "  published %,7d   ledger %,7d   shipments %,7d%n",
            publisher.acknowledged(),
            bookings,
            Sql.number(database, "SELECT count(*) FROM shipment_journal"));
        out.flush();
      }
      if (now - deadline > 0) {
        throw DemoFailure.seeLog("not done within --timeout " + timeoutSeconds + " s");
      }
      return bookings;
    }
  }
}
