package dev.onceward.examples.webhooks;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventPolicyException;
import dev.onceward.envelope.PolicyAction;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.examples.DemoFailure;
import dev.onceward.producer.EventPublisher;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** Publishes the deliveries of a file, and collects the lines that are none. */
final class WebhookPublisher {

  /**
   * A little under what brokers and producers take by default, 1 MiB (message.max.bytes,
   * max.request.size), which counts key and headers too.
   */
  static final int MAX_BYTES = 1_000_000;

  private static final SizePolicy SIZES = SizePolicy.of(MAX_BYTES, PolicyAction.REFUSE);

  private final Map<String, Object> kafkaProperties;
  private final byte[] run;
  private final AtomicLong published = new AtomicLong();
  private final ConcurrentSkipListMap<Long, String> broken = new ConcurrentSkipListMap<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * A publisher of one run.
   *
   * @param run marks its events
   */
  WebhookPublisher(Map<String, Object> kafkaProperties, byte[] run) {
    this.kafkaProperties = kafkaProperties;
    this.run = run.clone();
  }

  /** How many deliveries the broker has acknowledged. */
  long published() {
    return published.get();
  }

  /** The lines that are no delivery or too large, by number, with the reason. */
  List<String> broken() {
    return broken.entrySet().stream()
        .map(line -> "line " + line.getKey() + ": " + line.getValue())
        .toList();
  }

  /**
   * Publishes all and waits for the acknowledgements.
   *
   * @throws DemoFailure if the broker did not take one that is in order
   */
  void publish(WebhookFile file) {
    try (EventPublisher publisher =
        EventPublisher.builder(kafkaProperties).sizePolicy(SIZES).build()) {
      file.read(
          new WebhookFile.Lines() {
            @Override
            public void webhook(long line, Webhook webhook) {
              send(publisher, line, webhook.toEvent());
            }

            @Override
            public void broken(long line, String reason) {
              broken.put(line, reason);
            }
          });
      publisher.flush();
    }
    Throwable error = failure.get();
    if (error != null) {
      throw new DemoFailure("publishing failed: " + error.getMessage(), error);
    }
  }

  private void send(EventPublisher publisher, long line, Event event) {
    byte[] data = event.payload();
    if (data != null && SIZES.problem(event).isPresent()) {
      broken.put(
          line,
          ("the payload has %,d bytes and the demo publishes no more than %,d, as brokers take 1 MiB"
                  + " by default; shorten it or leave the line out")
              .formatted(data.length, MAX_BYTES));
      return;
    }
    publisher
        .publish(Statistics.TOPIC, event.toBuilder().header(RunCounter.HEADER, run.clone()).build())
        .whenComplete((done, error) -> settle(line, data, error));
  }

  private void settle(long line, byte @Nullable [] data, @Nullable Throwable error) {
    if (error == null) {
      published.incrementAndGet();
      return;
    }
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    if (cause.getCause() instanceof EventPolicyException refused) {
      broken.put(line, String.valueOf(refused.getMessage()));
    } else if (cause.getCause() instanceof RecordTooLargeException) {
      broken.put(
          line,
          ("the payload has %,d bytes, more than max.message.bytes of topic %s or --kafka-property"
                  + " max.request.size allows; shorten it, leave the line out or raise the limit")
              .formatted(data == null ? 0 : data.length, Statistics.TOPIC));
    } else {
      failure.compareAndSet(null, cause);
    }
  }
}
