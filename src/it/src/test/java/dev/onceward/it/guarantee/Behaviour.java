package dev.onceward.it.guarantee;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What every member of a trial does, in this JVM or in one of its own. */
final class Behaviour {

  static final String HANDLER = "trial";

  /** Events whose handler does no more than its plan says. */
  static final String PLAIN = "dev.onceward.it.trial.noted.v1";

  /** Events whose handler leaves a row in the ledger, once. */
  static final String EFFECT = "dev.onceward.it.trial.charged.v1";

  static final int CONCURRENCY = 8;
  static final int MAX_IN_FLIGHT = 1_000;

  /** One poll brings a twentieth of what may be in flight at most. */
  static final int POLL_RECORDS = MAX_IN_FLIGHT / 20;

  static final int MAX_ATTEMPTS = 4;

  private Behaviour() {}

  static EventConsumer.Builder member(
      Map<String, Object> kafka,
      String group,
      List<String> topics,
      Ledger ledger,
      Duration drainBudget,
      Interceptor observer) {
    return EventConsumer.builder(kafka)
        .group(group)
        .handlers(handlers(topics, ledger))
        .inbox(JdbcInbox.on(ledger.dataSource()))
        .interceptor(observer)
        .concurrency(CONCURRENCY)
        .maxInFlightRecords(MAX_IN_FLIGHT)
        .commitInterval(Duration.ofMillis(100))
        .drainBudget(drainBudget)
        .startTimeout(Duration.ofSeconds(60))
        .retryPolicy(
            RetryPolicy.builder()
                .maxAttempts(MAX_ATTEMPTS)
                .initialDelay(Duration.ofMillis(10))
                .maxDelay(Duration.ofMillis(50))
                .build());
  }

  private static LambdaHandlers handlers(List<String> topics, Ledger ledger) {
    return LambdaHandlers.of(HANDLER, topics.toArray(String[]::new))
        .on(PLAIN, Note.class, (Note note, Delivery delivery) -> run(plan(delivery), delivery))
        .on(
            EFFECT,
            Note.class,
            (Note note, Delivery delivery, Connection tx) -> {
              Plan plan = plan(delivery);
              ledger.add(tx, HANDLER, Integer.toString(plan.number()));
              run(plan, delivery);
            },
            Guarantee.IDEMPOTENT);
  }

  private static Plan plan(Delivery delivery) {
    return Plan.of(delivery.event().getId());
  }

  private static void run(Plan plan, Delivery delivery) throws Exception {
    if (plan.millis() > 0) {
      Thread.sleep(plan.millis());
    }
    if (delivery.attempt() <= plan.failures()) {
      throw new PlannedFailure(plan);
    }
  }
}
