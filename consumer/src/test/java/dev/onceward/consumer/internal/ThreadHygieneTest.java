package dev.onceward.consumer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.OnThreadLeak;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.ThreadLeakException;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.consumer.internal.pipeline.InboxEntries;
import dev.onceward.consumer.internal.pipeline.Pipeline;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.EventWriter;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.tracing.EventTracing;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;

class ThreadHygieneTest {

  private static final String TYPE = "com.acme.placed.v1";
  private static final ContextKey<String> KEY = ContextKey.named("key");
  private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

  private final Log log = new Log();
  private final RecordDelivery delivery = delivery();

  /** What a handler does. */
  interface Body {
    void run() throws Exception;
  }

  record Leaving(String kind, String told, Body body) {
    @Override
    public String toString() {
      return told;
    }
  }

  static Stream<Leaving> leaks() {
    return Stream.of(
        new Leaving("mdc", "MDC order", () -> MDC.put("order", "o-1")),
        new Leaving("mdc", "MDC eventId", () -> MDC.remove("eventId")),
        new Leaving("mdc", "MDC ", MDC::clear),
        new Leaving(
            "context",
            "an OpenTelemetry context",
            () -> {
              var unused =
                  io.opentelemetry.context.ContextStorage.get()
                      .attach(Context.current().with(KEY, "left"));
            }),
        new Leaving("interrupt", "the interrupt flag", () -> Thread.currentThread().interrupt()),
        new Leaving("thread_local", "thread local tenant", () -> TENANT.set("a")));
  }

  @BeforeEach
  void begin() {
    MDC.clear();
    MDC.put("host", "h1");
  }

  @AfterEach
  void end() {
    log.close();
    assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("host", "h1"));
    assertThat(Context.current()).isSameAs(Context.root());
    assertThat(Thread.interrupted()).isFalse();
    assertThat(TENANT.get()).isNull();
    MDC.clear();
  }

  @ParameterizedTest
  @MethodSource("leaks")
  void byDefaultALeakIsRemovedCountedAndLoggedOnceAndTheEventIsApplied(Leaving leaving)
      throws Exception {
    ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.WARN, Map.of("tenant", TENANT));
    Pipeline pipeline = pipeline(threads, leaving.body());
    for (int i = 0; i < 3; i++) {
      assertThat(threads.watch(delivery, pipeline::handle)).isEqualTo(Outcome.APPLIED);
    }
    assertThat(threads.counts()).isEqualTo(Map.of(leaving.kind(), 3L));
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0))
        .contains("Orders.placed left on its thread: " + leaving.told())
        .contains("topic-0@1");
  }

  @ParameterizedTest
  @MethodSource("leaks")
  void underFailTheAttemptFailsWithTheNameOfTheHandler(Leaving leaving) {
    ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.FAIL, Map.of("tenant", TENANT));
    Pipeline pipeline = pipeline(threads, leaving.body());
    assertThatThrownBy(() -> threads.watch(delivery, pipeline::handle))
        .isInstanceOf(ThreadLeakException.class)
        .hasMessageContaining("Orders.placed left on its thread: " + leaving.told());
  }

  @Test
  void aHandlerThatFailsFailsAsItDidAndItsThreadIsCleaned() {
    ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.FAIL, Map.of());
    Pipeline pipeline =
        pipeline(
            threads,
            () -> {
              MDC.put("order", "o-1");
              throw new IllegalStateException("of the handler");
            });
    assertThatThrownBy(() -> threads.watch(delivery, pipeline::handle))
        .hasMessage("of the handler")
        .satisfies(e -> assertThat(e.getSuppressed()[0]).isInstanceOf(ThreadLeakException.class));
    assertThat(threads.counts()).isEqualTo(Map.of("mdc", 1L));
  }

  @Test
  void aHandlerThatEndsWhatItBeginsIsNotNamed() throws Exception {
    ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.FAIL, Map.of("tenant", TENANT));
    Pipeline pipeline =
        pipeline(
            threads,
            () -> {
              try (MDC.MDCCloseable entry = MDC.putCloseable("order", "o-1");
                  var scope = Context.current().with(KEY, "ended").makeCurrent()) {
                TENANT.set("a");
              } finally {
                TENANT.remove();
              }
            });
    assertThat(threads.watch(delivery, pipeline::handle)).isEqualTo(Outcome.APPLIED);
    assertThat(threads.counts()).isEmpty();
    assertThat(log.lines()).isEmpty();
  }

  @Test
  void anInterruptByALostLeaseIsNotTheHandlers() throws Exception {
    ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.FAIL, Map.of());
    Pipeline pipeline =
        pipeline(
            threads,
            () -> {
              delivery.lease().lose(LeaseLoss.EXPIRED);
              Thread.currentThread().interrupt();
            });
    threads.watch(delivery, pipeline::handle);
    assertThat(threads.counts()).isEmpty();
    assertThat(Thread.interrupted()).isTrue(); // the worker sees to it
  }

  @Test
  void whatAnInterceptorLeavesIsRemovedTooAndNeverFailsWhatIsApplied() throws Exception {
    ThreadHygiene threads = new ThreadHygiene(OnThreadLeak.FAIL, Map.of());
    Pipeline pipeline =
        Pipeline.of(
            routes(threads, () -> {}),
            null,
            entries(),
            JacksonPayloadMapper.standard(),
            EventTracing.global(),
            UnhandledEvents.SKIP,
            List.of(
                chain -> {
                  MDC.put("left", "by an interceptor");
                  return chain.proceed(chain.delivery());
                }),
            Clock.systemUTC());
    assertThat(threads.watch(delivery, pipeline::handle)).isEqualTo(Outcome.APPLIED);
    assertThat(threads.counts()).isEqualTo(Map.of("mdc", 1L));
    assertThat(log.lines().get(0)).contains("an interceptor of group group left on its thread");
  }

  private static InboxEntries entries() {
    return new InboxEntries(
        any -> new FenceScope("group", any.topic(), null, any.partition()), any -> Map.of());
  }

  private static Pipeline pipeline(ThreadHygiene threads, Body body) {
    return Pipeline.of(
        routes(threads, body),
        null,
        entries(),
        JacksonPayloadMapper.standard(),
        EventTracing.global(),
        UnhandledEvents.SKIP,
        List.of(),
        Clock.systemUTC());
  }

  private static Routes routes(ThreadHygiene threads, Body body) {
    Route route =
        new Route(
            "orders",
            "Orders.placed",
            Set.of("topic"),
            TYPE,
            Idempotency.NONE,
            null,
            null,
            false,
            false,
            (inputs, tx) -> body.run());
    return Routes.of(List.of(route)).map(threads::watch);
  }

  private static RecordDelivery delivery() {
    Event event = Event.builder().source("/acme").type(TYPE).id("e-1").subject("o-1").build();
    ProducerRecord<byte[], byte[]> written = EventWriter.binary().write("topic", event);
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "topic",
            0,
            1L,
            0L,
            TimestampType.CREATE_TIME,
            -1,
            -1,
            written.key(),
            written.value(),
            written.headers(),
            Optional.empty());
    return new RecordDelivery(
        record,
        new RecordDelivery.Source("group", EventReader.standard(), (topic, name) -> "orders"),
        1,
        new HandlerLease(record, LeasePolicy.standard(), System::nanoTime));
  }

  /** What this test's own thread logs; others run beside it. */
  private static final class Log extends Handler {
    private final Logger logger = Logger.getLogger("dev.onceward.consumer");
    private final Thread owner = Thread.currentThread();
    private final List<String> lines = new ArrayList<>();

    Log() {
      logger.addHandler(this);
    }

    List<String> lines() {
      return lines;
    }

    @Override
    public void publish(LogRecord line) {
      if (Thread.currentThread() == owner) {
        lines.add(new SimpleFormatter().formatMessage(line));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }
}
