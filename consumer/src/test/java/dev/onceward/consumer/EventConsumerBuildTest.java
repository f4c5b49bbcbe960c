package dev.onceward.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

// handlers are found by reflection and not called here
@SuppressWarnings({"UnusedMethod", "UnusedVariable"})
class EventConsumerBuildTest {

  /** No test here connects to it. */
  private static final DataSource UNREACHED =
      (DataSource)
          Proxy.newProxyInstance(
              DataSource.class.getClassLoader(),
              new Class<?>[] {DataSource.class},
              (proxy, method, args) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  private static final Map<String, Object> KAFKA = Map.of("bootstrap.servers", "127.0.0.1:1");

  record Order(String id) {}

  @EventHandlers(id = "billing", topics = "orders")
  private static final class Billing {
    @Handles("placed.v1")
    @Idempotent
    void placed(Order order, Connection tx) {}
  }

  @EventHandlers(id = "mailing", topics = "orders")
  private static final class Mailing {
    @Handles("placed.v1")
    void placed(Order order) {}
  }

  @Test
  void aHandlerThatNeedsAnInboxIsRefusedWithoutOne() {
    assertThatThrownBy(
            () -> EventConsumer.builder(KAFKA).group("g").handlers(new Billing()).build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("Billing.placed")
        .hasMessageContaining("inbox(JdbcInbox.on(dataSource))");
  }

  @Test
  void aTransactionalLambdaIsRefusedWithoutAnInbox() {
    LambdaHandlers lambdas =
        LambdaHandlers.of("l", "orders").on("placed.v1", Order.class, (order, delivery, tx) -> {});
    assertThatThrownBy(() -> EventConsumer.builder(KAFKA).group("g").handlers(lambdas).build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("l[placed.v1]");
  }

  @EventHandlers(id = "stock", topics = "orders")
  private static final class Stock {
    @Handles("placed.v1")
    @Idempotent(Idempotent.By.OFFSET)
    @VersionGuard(VersionGuard.Mode.NEXT)
    void taken(Order order, Connection tx) {}
  }

  @Test
  void whatSetsEventsAsideIsRefusedToRecogniseThemByOffset() {
    LambdaHandlers lambdas =
        LambdaHandlers.of("l", "payments")
            .on(
                "paid.v1",
                Order.class,
                (order, delivery, tx) -> {},
                Guarantee.IDEMPOTENT_BY_OFFSET,
                Guarantee.NEXT_VERSION);
    assertThatThrownBy(
            () -> EventConsumer.builder(KAFKA).group("g").handlers(new Stock(), lambdas).build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("Stock.taken is idempotent by offset and takes versions")
        .hasMessageContaining("l[paid.v1] is idempotent by offset and takes versions")
        .hasMessageContaining("be idempotent by event, or guard with LATEST");
  }

  @Test
  void settingsOfWhichTheInboxBindsNoneAreRefused() {
    assertThatThrownBy(() -> withSettings(JdbcInbox.on(UNREACHED)))
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("transactionSettings(...) is set, but the inbox binds no setting")
        .hasMessageContaining("JdbcInbox.builder(...).boundSettings(...)");
    assertThat(
            withSettings(JdbcInbox.builder(UNREACHED).boundSettings("app.tenant_id").build())
                .health()
                .state())
        .isEqualTo(State.NEW);
  }

  private static EventConsumer withSettings(JdbcInbox inbox) {
    return EventConsumer.builder(KAFKA)
        .group("g")
        .handlers(new Latest())
        .inbox(inbox)
        .transactionSettings(delivery -> Map.of("app.tenant_id", "a"))
        .build();
  }

  @Test
  void longTimesAreToldInDaysAndHours() {
    assertThat(StartChecks.inWords(Duration.ofDays(7))).isEqualTo("7 days");
    assertThat(StartChecks.inWords(Duration.ofHours(25))).isEqualTo("1 day 1 hour");
    assertThat(StartChecks.inWords(Duration.ofMinutes(90))).isEqualTo("1 hour 30 minutes");
    assertThat(StartChecks.inWords(Duration.ofSeconds(90))).isEqualTo("90 s");
    assertThat(StartChecks.inWords(Duration.ofMillis(1500))).isEqualTo("1500 ms");
  }

  @EventHandlers(id = "latest", topics = "orders")
  private static final class Latest {
    @Handles("placed.v1")
    @Idempotent(Idempotent.By.OFFSET)
    @VersionGuard
    void placed(Order order, Connection tx) {}
  }

  @Test
  void aStaleVersionIsDoneSoItsGuardMayGoWithTheOffset() {
    assertThatThrownBy(() -> EventConsumer.builder(KAFKA).group("g").handlers(new Latest()).build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageNotContaining("by offset"); // only the inbox is missing
  }

  @EventHandlers(id = "line\nbreak", topics = "orders")
  private static final class BadlyNamed {
    @Handles("placed.v1")
    void placed(Order order) {}
  }

  @Test
  void aHandlerIdThatNoInboxCanTakeIsRefused() {
    assertThatThrownBy(
            () -> EventConsumer.builder(KAFKA).group("g").handlers(new BadlyNamed()).build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("BadlyNamed: @EventHandlers(id)");
    assertThatThrownBy(() -> LambdaHandlers.of("x".repeat(201), "orders"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("200 characters");
    assertThatThrownBy(() -> LambdaHandlers.of("half \uD800 pair", "orders"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("handler id");
  }

  @Test
  void twoHandlerIdsForOneTypeAreRefusedWithTheFix() {
    LambdaHandlers other =
        LambdaHandlers.of("other", "orders").on("placed.v1", Order.class, (order, delivery) -> {});
    assertThatThrownBy(
            () -> EventConsumer.builder(KAFKA).group("g").handlers(new Mailing(), other).build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("Mailing.placed")
        .hasMessageContaining("other[placed.v1]")
        .hasMessageContaining("a group of its own");
  }

  @Test
  void allProblemsAreToldAtOnceOnALineEach() {
    assertThatThrownBy(
            () ->
                EventConsumer.builder(Map.of("enable.auto.commit", "true"))
                    .handlers(new Billing())
                    .concurrency(0)
                    .maxInFlightBytes(-1)
                    .commitInterval(Duration.ZERO)
                    .build())
        .isInstanceOfSatisfying(
            ConsumerConfigurationException.class,
            e ->
                assertThat(String.valueOf(e.getMessage()).lines())
                    .hasSize(7)
                    .anyMatch(line -> line.startsWith("group"))
                    .anyMatch(line -> line.startsWith("bootstrap.servers"))
                    .anyMatch(line -> line.startsWith("enable.auto.commit"))
                    .anyMatch(line -> line.startsWith("concurrency"))
                    .anyMatch(line -> line.startsWith("maxInFlightBytes"))
                    .anyMatch(line -> line.startsWith("commitInterval"))
                    .anyMatch(line -> line.startsWith("Billing.placed")));
  }

  @Test
  @SuppressWarnings("NullAway") // that null is refused is what is tested
  void whatIsNoHandlerIsNamedForWhatItIs() {
    assertThatThrownBy(() -> builder().handlers(Mailing.class).build())
        .hasMessageContaining("give it an object");
    assertThatThrownBy(() -> builder().handlers(List.of(new Mailing())).build())
        .hasMessageContaining("the handlers themselves");
    assertThatThrownBy(() -> builder().handlers((Object) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("handlers(...)");
    assertThatThrownBy(() -> builder().handlers(LambdaHandlers.of("empty", "t")).build())
        .hasMessageContaining("'empty' handle nothing");
  }

  @Test
  void aLambdaThatCouldNeverBeCalledIsRefusedWithTheWayToWriteIt() {
    LambdaHandlers lambdas = LambdaHandlers.of("l", "t", "t");
    assertThatThrownBy(() -> lambdas.on("a.v1", Event.class, (event, delivery) -> {}))
        .hasMessageContaining("Event is no payload")
        .hasMessageContaining("delivery ->");
    assertThatThrownBy(() -> lambdas.on("a.v1", List.class, (list, delivery) -> {}))
        .hasMessageContaining("List");
    lambdas.on("a.v1", delivery -> {}).on("b.v1", (delivery, tx) -> {}, Guarantee.IDEMPOTENT);
    assertThat(lambdas.routes()).hasSize(2).allMatch(route -> route.payload() == null);
  }

  @Test
  void noHandlersAtAllAreRefused() {
    assertThatThrownBy(() -> EventConsumer.builder(KAFKA).group("g").build())
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("handlers(...)");
  }

  @Test
  void defaultsOfLayeredPropertiesCount() {
    Properties defaults = new Properties();
    defaults.setProperty("bootstrap.servers", "127.0.0.1:1");
    EventConsumer consumer =
        EventConsumer.builder(new Properties(defaults)).group("g").handlers(new Mailing()).build();
    assertThat(consumer.health().state()).isEqualTo(State.NEW);
  }

  private static EventConsumer.Builder builder() {
    return EventConsumer.builder(KAFKA).group("g");
  }

  @Test
  void whatWasNeverStartedCanBeClosed() {
    EventConsumer consumer =
        EventConsumer.builder(KAFKA).group("g").handlers(new Mailing()).build();
    consumer.close();
    consumer.close();
    assertThat(consumer.counts().done()).isZero();
  }
}
