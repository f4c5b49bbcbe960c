package dev.onceward.testkit;

import dev.onceward.envelope.Event;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The same event several times, as brokers and publishers that retry deliver it. Immutable.
 *
 * <pre>{@code
 * Redelivery.times(3).publish(publisher, topic, orderPaid);
 * }</pre>
 */
public final class Redelivery {
  private final int times;

  private Redelivery(int times) {
    this.times = times;
  }

  /**
   * Delivers {@code times} times in all.
   *
   * @throws IllegalArgumentException when that is less than once
   */
  public static Redelivery times(int times) {
    if (times < 1) {
      throw new IllegalArgumentException("cannot deliver " + times + " times");
    }
    return new Redelivery(times);
  }

  /** The event as many times. */
  public List<Event> of(Event event) {
    return Collections.nCopies(times, event);
  }

  /** All events in their order, and again from the first: what a consumer sees that starts over. */
  public List<Event> of(List<Event> events) {
    return Collections.nCopies(times, events).stream().flatMap(List::stream).toList();
  }

  /** Publishes the event as many times and waits until the broker has all of them. */
  public List<RecordMetadata> publish(RawPublisher publisher, String topic, Event event) {
    return publisher.publish(topic, of(event));
  }

  /** Calls a handler as many times, one call after the other; the first failure ends it. */
  public void deliver(Event event, Flaky.Handler<? super Event> handler) throws Exception {
    for (Event delivery : of(event)) {
      handler.handle(delivery);
    }
  }
}
