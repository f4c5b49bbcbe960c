package dev.onceward.consumer.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.ConsumerConfigurationException;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.consumer.Lease;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.VersionGuard;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.handler.Route.Input;
import dev.onceward.consumer.internal.handler.Route.PayloadParameter;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

// handlers are found by reflection, and most are looked at and never called
@SuppressWarnings({"UnusedMethod", "UnusedVariable"})
class HandlerScannerTest {

  private final List<String> problems = new ArrayList<>();

  record Order(String id) {}

  @EventHandlers(
      id = "good",
      topics = {"a", "b"})
  private static class Good {
    @Handles("placed.v1")
    @Idempotent
    @VersionGuard
    void placed(Order order, Event event, Delivery delivery, Connection tx) {}

    @Handles({"paid.v1", "refunded.*"})
    void money(ConsumerRecord<byte[], byte[]> record, @Nullable Order order) {}

    @Handles("async.v1")
    @Nullable CompletionStage<String> async(Optional<Order> order) {
      return null;
    }
  }

  @Test
  void everyMarkedMethodBecomesARouteForEachOfItsTypes() {
    List<Route> routes = scan(new Good());
    assertThat(problems).isEmpty();
    assertThat(routes)
        .extracting(Route::typePattern)
        .containsExactlyInAnyOrder("placed.v1", "paid.v1", "refunded.*", "async.v1");
    Route placed = find(routes, "placed.v1");
    assertThat(placed.handlerId()).isEqualTo("good");
    assertThat(placed.name()).isEqualTo("Good.placed");
    assertThat(placed.topics()).containsExactlyInAnyOrder("a", "b");
    assertThat(placed.idempotency()).isEqualTo(Idempotency.EVENT);
    assertThat(placed.versions()).isEqualTo(VersionRule.LATEST);
    assertThat(placed.transactional()).isTrue();
    Route paid = find(routes, "paid.v1");
    assertThat(paid.needsInbox()).isFalse();
    assertThat(paid.payload()).isNotNull();
    assertThat(paid.payload().nullable()).isTrue();
    Route async = find(routes, "async.v1");
    assertThat(async.payload()).isNotNull();
    assertThat(async.payload().nullable()).isTrue();
  }

  @EventHandlers(id = "bad", topics = "a")
  private static class Bad {
    @Handles("v1")
    void twoPayloads(Order a, String b) {}

    @Handles("v2")
    int returnsANumber(Order a) {
      return 1;
    }

    @Handles("v3")
    @Nullable CompletionStage<Void> asyncInTransaction(Order a, Connection tx) {
      return null;
    }

    @Handles("v4")
    void batch(Set<Order> orders) {}

    @Handles("v5")
    void primitive(int amount) {}

    @Handles("v6")
    void statement(Statement statement) {}

    @Handles("v*7")
    void middleStar(Order order) {}

    @Handles({})
    void noType(Order order) {}

    @Handles(" ")
    void blankType(Order order) {}

    @Handles("v8")
    static void shared(Order order) {}

    @Handles({"v9", "v9"})
    void twice(Order order) {}

    @Handles("v10")
    void twoLeases(Lease lease, Lease other) {}
  }

  @Test
  void everythingWrongIsNamedByMethodWithItsFix() {
    assertThat(scan(new Bad())).isEmpty();
    assertProblem("Bad.twoPayloads", "payload", "keep one");
    assertProblem("Bad.returnsANumber", "returns int", "return void");
    assertProblem("Bad.asyncInTransaction", "CompletionStage", "Connection");
    assertProblem("Bad.batch", "Set", "take one payload", "List<...>");
    assertProblem("Bad.primitive", "int", "object type");
    assertProblem("Bad.statement", "java.sql.Statement", "java.sql.Connection");
    assertProblem("Bad.middleStar", "v*7", "prefix");
    assertProblem("Bad.noType", "no event type");
    assertProblem("Bad.blankType", "blank");
    assertProblem("Bad.shared", "static");
    assertProblem("Bad.twice", "twice");
    assertProblem("Bad.twoLeases", "two parameters for the lease", "keep one");
    assertThat(problems).hasSize(12);
  }

  private static final class Unmarked {
    @Handles("v1")
    void handle(Order order) {}
  }

  @EventHandlers(
      id = " ",
      topics = {})
  private static final class Empty {}

  @Test
  void aClassThatIsNoSetOfHandlersIsNamed() {
    scan(new Unmarked());
    scan(new Empty());
    assertProblem("Unmarked", "@EventHandlers");
    assertProblem("Empty", "id");
    assertProblem("Empty", "topics");
    assertProblem("Empty", "@Handles");
  }

  @EventHandlers(id = "forgetful", topics = "a")
  private static final class Forgetful {
    @Handles("v1")
    @Nullable CompletionStage<Void> answersNull(Order order) {
      return null;
    }

    @Idempotent
    void neverCalled(Order order) {}

    @Handles("v2")
    <T> void generic(T order) {}
  }

  @Test
  void aGuardOnAMethodNothingCallsAndTypeParametersAreNamed() {
    scan(new Forgetful());
    assertProblem("Forgetful.neverCalled", "not @Handles");
    assertProblem("Forgetful.generic", "type parameters");
  }

  @Test
  void aStageThatIsNullIsAFailureNotASuccess() {
    Route route = find(scan(new Forgetful()), "v1");
    assertThatThrownBy(() -> route.call().handle(inputs(new UnusedDelivery()), null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Forgetful.answersNull")
        .hasMessageContaining("CompletionStage");
  }

  @EventHandlers(id = "base", topics = "a")
  private static class Base {
    final List<String> calls = new ArrayList<>();

    @Handles("v1")
    void first(Order order) {
      calls.add("base.first");
    }

    @Handles("v2")
    void second(Order order) {
      calls.add("base.second");
    }
  }

  @EventHandlers(id = "derived", topics = "a")
  @Idempotent
  private static final class Derived extends Base {
    @Override
    @Handles("v1")
    void first(Order order) {
      calls.add("derived.first");
    }

    @Handles("v3")
    void third(Order order) {}
  }

  @Test
  void inheritedHandlersCountAndOverriddenOnesCountOnce() throws Exception {
    Derived derived = new Derived();
    List<Route> routes = scan(derived);
    assertThat(problems).isEmpty();
    assertThat(routes).extracting(Route::typePattern).containsExactlyInAnyOrder("v1", "v2", "v3");
    assertThat(find(routes, "v1").idempotency()).isEqualTo(Idempotency.EVENT);
    find(routes, "v1").call().handle(inputs(new UnusedDelivery()), null);
    find(routes, "v2").call().handle(inputs(new UnusedDelivery()), null);
    assertThat(derived.calls).containsExactly("derived.first", "base.second");
  }

  @Test
  void twoHandlersOfOneTypeAreRefused() {
    List<Route> routes = new ArrayList<>(scan(new Good()));
    routes.addAll(scan(new Good()));
    assertThatThrownBy(() -> Routes.of(routes))
        .isInstanceOf(ConsumerConfigurationException.class)
        .hasMessageContaining("Good.placed")
        .hasMessageContaining("placed.v1")
        .hasMessageContaining("topic a");
  }

  @EventHandlers(id = "patterns", topics = "a")
  private static final class Patterns {
    @Handles("com.acme.placed.v1")
    void exact(Event event) {}

    @Handles("com.acme.*")
    void acme(Event event) {}

    @Handles("*")
    void any(Event event) {}
  }

  @Test
  void anExactTypeWinsOverAPrefixAndALongerPrefixOverAShorter() {
    Routes routes = Routes.of(scan(new Patterns()));
    assertThat(routes.find("a", "com.acme.placed.v1"))
        .extracting(Route::name)
        .isEqualTo("Patterns.exact");
    assertThat(routes.find("a", "com.acme.paid.v1"))
        .extracting(Route::name)
        .isEqualTo("Patterns.acme");
    assertThat(routes.find("a", "org.x")).extracting(Route::name).isEqualTo("Patterns.any");
    assertThat(routes.find("other", "org.x")).isNull();
  }

  @EventHandlers(id = "leased", topics = "a")
  private static final class Leased {
    @Nullable Lease seen;

    @Handles("v1")
    void handle(Lease lease, Order order) {
      seen = lease;
    }
  }

  @Test
  void aLeaseIsThatOfTheDeliveryAndNoPayload() throws Exception {
    Leased handlers = new Leased();
    Route route = find(scan(handlers), "v1");
    assertThat(problems).isEmpty();
    assertThat(route.payload()).extracting(PayloadParameter::type).isEqualTo(Order.class);
    assertThat(route.needsInbox()).isFalse();
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>("a", 0, 0L, new byte[0], new byte[0]);
    HandlerLease lease = new HandlerLease(record, LeasePolicy.standard(), System::nanoTime);
    RecordDelivery.Source source =
        new RecordDelivery.Source("group", EventReader.standard(), (topic, type) -> "leased");
    route.call().handle(inputs(new RecordDelivery(record, source, 1, lease)), null);
    assertThat(handlers.seen).isSameAs(lease);
  }

  @Test
  void aLambdaCanNotTakeTheLeaseAsItsPayload() {
    assertThat(HandlerScanner.payloadProblem(Lease.class))
        .contains("Lease is no payload")
        .contains("delivery ->");
  }

  private static List<Input> inputs(Delivery... deliveries) {
    return Arrays.stream(deliveries).map(one -> new Input(one, new Order("1"))).toList();
  }

  private List<Route> scan(Object handlers) {
    HandlerScanner scanner = new HandlerScanner(problems);
    scanner.scan(handlers);
    return scanner.routes();
  }

  private void assertProblem(String... parts) {
    assertThat(problems).anySatisfy(line -> assertThat(line).contains(parts));
  }

  private static Route find(List<Route> routes, String pattern) {
    return routes.stream().filter(r -> r.typePattern().equals(pattern)).findFirst().orElseThrow();
  }
}
