package dev.onceward.examples.webhooks;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.header.Header;

/** Counts what became of the events of this run; others may wait on the same topic. */
final class RunCounter implements Interceptor {

  static final String HEADER = "demo-run";

  private final byte[] run = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong duplicates = new AtomicLong();

  /** The value of {@link #HEADER} that marks the events of this run. */
  byte[] run() {
    return run.clone();
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    Header header = chain.delivery().record().headers().lastHeader(HEADER);
    Outcome outcome = chain.proceed(chain.delivery());
    if (header != null && Arrays.equals(run, header.value())) {
      (outcome == Outcome.APPLIED ? applied : duplicates).incrementAndGet();
    }
    return outcome;
  }

  long applied() {
    return applied.get();
  }

  long duplicates() {
    return duplicates.get();
  }

  long done() {
    return applied() + duplicates();
  }
}
