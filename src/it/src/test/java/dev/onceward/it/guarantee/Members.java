package dev.onceward.it.guarantee;

import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Makes the members of a trial. Thread-safe. */
final class Members implements AutoCloseable {

  static final String LOCAL = "member-";
  static final String PROCESS = "process-";

  private static final int TERMINATED = 128 + 15;

  private final Setup setup;
  private final Scene scene;
  private final TestDatabase database;
  private final Ledger ledger;
  private final List<String> topics;
  private final Observer observer;
  private final ObservationServer server;
  private final Map<String, Object> kafka;
  private final AtomicInteger made = new AtomicInteger();

  Members(
      Scene scene,
      TestDatabase database,
      Ledger ledger,
      List<String> topics,
      Observer observer,
      Setup setup,
      boolean readCommitted) {
    this.setup = setup;
    this.scene = scene;
    this.database = database;
    this.ledger = ledger;
    this.topics = List.copyOf(topics);
    this.observer = observer;
    server = new ObservationServer(observer);
    kafka = new HashMap<>(scene.properties(setup.protocol()));
    kafka.put(
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        readCommitted ? "read_committed" : "read_uncommitted");
    if (setup.protocol().isClassic()) {
      kafka.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, setup.sessionMillis());
    }
  }

  /** A member of this JVM, which is starting. */
  Member local() {
    String name = LOCAL + made.incrementAndGet();
    EventConsumer consumer =
        Behaviour.member(
                kafka, scene.group(), topics, ledger, setup.drainBudget(), observer.in(name))
            .stopOnShutdown(false)
            .build();
    return new Local(name, consumer, Scene.inBackground(consumer::start));
  }

  /** A member in a JVM of its own, which is starting. */
  Member process() {
    String name = PROCESS + made.incrementAndGet();
    Properties configuration = new Properties();
    kafka.forEach((key, value) -> configuration.put("kafka." + key, value.toString()));
    configuration.put("group", scene.group());
    configuration.put("topics", String.join(",", topics));
    configuration.put("database.url", database.jdbcUrl());
    configuration.put("database.user", database.user());
    configuration.put("database.password", database.password());
    configuration.put("database.schema", ledger.schema());
    configuration.put("drainMillis", Long.toString(setup.drainBudget().toMillis()));
    configuration.put("member", name);
    configuration.put("observer.port", Integer.toString(server.port()));
    return new InProcess(name, ChildApp.start(MemberApp.class, configuration), observer);
  }

  /** Fails if something happened that was not seen. */
  void rethrow() {
    server.rethrow();
  }

  @Override
  public void close() {
    server.close();
  }

  private record Local(String name, EventConsumer consumer, CompletableFuture<Void> started)
      implements Member {

    @Override
    public boolean isProcess() {
      return false;
    }

    @Override
    public void leave() {
      started.join();
      consumer.close();
      ConsumerHealth last = consumer.health();
      if (last.state() != State.STOPPED) {
        throw new AssertionError(name + " ended as " + last, last.failure().orElse(null));
      }
    }

    @Override
    public void kill() {
      throw new UnsupportedOperationException(name + " is no process");
    }

    @Override
    public Optional<ConsumerHealth> health() {
      return Optional.of(consumer.health());
    }
  }

  private record InProcess(String name, ChildApp app, Observer observer) implements Member {

    @Override
    public boolean isProcess() {
      return true;
    }

    @Override
    public void leave() {
      end("TERM", TERMINATED);
    }

    @Override
    public void kill() {
      observer.killing(name);
      end("KILL", 128 + 9);
    }

    private void end(String signal, int status) {
      try (app) {
        app.signal(signal);
        int ended = app.awaitExit();
        if (ended != status) {
          throw new AssertionError(name + " ended with " + ended + ":\n" + app.log());
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      } catch (InterruptedException e) {
        throw Scene.interrupted(e);
      }
    }

    @Override
    public Optional<ConsumerHealth> health() {
      return Optional.empty();
    }
  }
}
