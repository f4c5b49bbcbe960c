package dev.onceward.consumer;

import dev.onceward.consumer.internal.handler.HandlerScanner;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.consumer.internal.handler.VersionRule;
import dev.onceward.consumer.internal.source.ConsumerProperties;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.dedupe.InboxEntry.Mode;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.envelope.TopicConventions;
import dev.onceward.tracing.EventTracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a builder was told, checked as far as it can be without a connection. Immutable. */
record ConsumerConfig(
    String group,
    ConsumerProperties properties,
    Routes routes,
    List<Interceptor> interceptors,
    @Nullable Inbox inbox,
    @Nullable ExecutorService executor,
    EventTracing tracing,
    int concurrency,
    int maxInFlightRecords,
    long maxInFlightBytes,
    Duration drainBudget,
    Duration commitInterval,
    Duration startTimeout,
    RetryPolicy retryPolicy,
    LeasePolicy leasePolicy,
    BatchPolicy batches,
    boolean fences,
    VersionGapPolicy versionGaps,
    Function<Delivery, Map<String, String>> transactionSettings,
    UnhandledEvents unhandledEvents,
    KeylessRecords keylessRecords,
    PayloadMapper payloadMapper,
    EventReader eventReader,
    TopicConventions topicConventions,
    boolean createDeadLetterTopics,
    boolean stopOnShutdown,
    OnThreadLeak onThreadLeak,
    Map<String, ThreadLocal<?>> threadLocals) {

  /**
   * Checks what the builder was told.
   *
   * @throws ConsumerConfigurationException with all that is wrong, a line each
   */
  static ConsumerConfig of(EventConsumer.Builder builder) {
    List<String> problems = new ArrayList<>();
    if (builder.group.isBlank()) {
      problems.add("group is not set; name the consumer group");
    }
    ConsumerProperties properties =
        ConsumerProperties.of(builder.kafkaProperties, builder.group, problems);
    Duration drainBudget = properties.drainBudget(builder.drainBudget, problems);
    requirePositive("concurrency", builder.concurrency, problems);
    requirePositive("maxInFlightRecords", builder.maxInFlightRecords, problems);
    requirePositive("maxInFlightBytes", builder.maxInFlightBytes, problems);
    requirePositive("commitInterval", builder.commitInterval.toNanos(), problems);
    requirePositive("startTimeout", builder.startTimeout.toNanos(), problems);
    List<Route> routes = routes(builder, problems);
    BatchPolicy batches = batches(builder, routes, problems);
    checkSettings(builder, problems);
    if (!problems.isEmpty()) {
      throw new ConsumerConfigurationException(problems);
    }
    return new ConsumerConfig(
        builder.group,
        properties,
        Routes.of(routes),
        List.copyOf(builder.interceptors),
        builder.inbox,
        builder.executor,
        builder.tracing == null ? EventTracing.global() : builder.tracing,
        builder.concurrency,
        builder.maxInFlightRecords,
        builder.maxInFlightBytes,
        drainBudget,
        builder.commitInterval,
        builder.startTimeout,
        builder.retryPolicy,
        builder.leasePolicy,
        batches,
        builder.fences,
        builder.versionGaps,
        builder.transactionSettings,
        builder.unhandledEvents,
        builder.keylessRecords,
        builder.payloadMapper,
        builder.eventReader,
        builder.topicConventions,
        builder.createDeadLetterTopics,
        builder.stopOnShutdown,
        builder.onThreadLeak,
        Collections.unmodifiableMap(new LinkedHashMap<>(builder.threadLocals)));
  }

  private static List<Route> routes(EventConsumer.Builder builder, List<String> problems) {
    if (builder.handlers.isEmpty()) {
      problems.add("no handlers are given; add at least one with handlers(...)");
    }
    HandlerScanner scanner = new HandlerScanner(problems);
    List<Route> routes = new ArrayList<>();
    for (Object handlers : builder.handlers) {
      if (handlers instanceof LambdaHandlers lambdas) {
        if (lambdas.routes().isEmpty()) {
          problems.add(
              "LambdaHandlers '"
                  + lambdas.id()
                  + "' handle nothing; add .on(type, ...), or leave"
                  + " them out");
        }
        routes.addAll(lambdas.routes());
      } else {
        scanner.scan(handlers);
      }
    }
    routes.addAll(scanner.routes());
    if (!builder.fences) {
      routes.stream()
          .filter(route -> route.idempotency() == Idempotency.OFFSET)
          .map(Route::name)
          .distinct()
          .forEach(
              name ->
                  problems.add(
                      name + " is idempotent by offset, which needs fences; set fences(true)"));
    }
    routes.stream()
        .filter(ConsumerConfig::setsAsideByOffset)
        .map(Route::name)
        .distinct()
        .forEach(
            name ->
                problems.add(
                    name
                        + " is idempotent by offset and takes versions one after the other, but an"
                        + " event that is set aside counts as done by its offset as soon as a later"
                        + " one is applied; be idempotent by event, or guard with LATEST"));
    if (builder.inbox == null) {
      routes.stream()
          .filter(Route::needsInbox)
          .map(Route::name)
          .distinct()
          .forEach(
              name ->
                  problems.add(
                      name
                          + " is idempotent, version-guarded or takes a Connection, but there is no"
                          + " inbox; add .inbox(JdbcInbox.on(dataSource))"));
    }
    return routes;
  }

  private static boolean setsAsideByOffset(Route route) {
    VersionRule versions = route.versions();
    return route.idempotency() == Idempotency.OFFSET
        && versions != null
        && versions.mode() == Mode.NEXT;
  }

  private static void checkSettings(EventConsumer.Builder builder, List<String> problems) {
    if (builder.transactionSettings == EventConsumer.Builder.NO_SETTINGS || builder.inbox == null) {
      return;
    }
    if (builder.inbox.boundSettings().map(Set::isEmpty).orElse(false)) {
      problems.add(
          "transactionSettings(...) is set, but the inbox binds no setting; name them in"
              + " JdbcInbox.builder(...).boundSettings(...)");
    }
  }

  private static BatchPolicy batches(
      EventConsumer.Builder builder, List<Route> routes, List<String> problems) {
    BatchPolicy wanted = builder.batches;
    boolean surrounded = !builder.interceptors.isEmpty();
    if (wanted == null) {
      boolean lists = routes.stream().anyMatch(Route::takesLists);
      return lists && !surrounded ? BatchPolicy.standard() : BatchPolicy.none();
    }
    if (wanted.maxEvents() > 1 && surrounded) {
      problems.add(
          "batches(...) and interceptor(...) are both set, but an interceptor surrounds one"
              + " delivery; do without one of them, or set batches(BatchPolicy.none())");
    }
    return routes.stream().anyMatch(Route::isShareable) ? wanted : BatchPolicy.none();
  }

  private static void requirePositive(String name, long value, List<String> problems) {
    if (value <= 0) {
      problems.add(name + " must be more than zero, but is " + value);
    }
  }

  /** The topics with a handler of this idempotency. */
  Set<String> topicsOf(Idempotency idempotency) {
    return routes.all().stream()
        .filter(route -> route.idempotency() == idempotency)
        .flatMap(route -> route.topics().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The handler id of a type, or the group when nobody handles it. */
  String handlerId(String topic, String eventType) {
    Route route = routes.find(topic, eventType);
    return route == null ? group : route.handlerId();
  }
}
