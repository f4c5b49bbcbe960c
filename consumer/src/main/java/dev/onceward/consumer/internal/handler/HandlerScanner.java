package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.consumer.VersionGuard;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.dedupe.InboxEntry.Mode;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes the annotated methods of a handler object into routes, and collects all that is wrong. */
public final class HandlerScanner {

  private final List<String> problems;
  private final List<Route> routes = new ArrayList<>();

  /** Creates a scanner that adds what it finds wrong to {@code problems}, a line each. */
  public HandlerScanner(List<String> problems) {
    this.problems = problems;
  }

  /** Adds the routes of an object whose class is marked {@link EventHandlers}. */
  public void scan(Object handlers) {
    if (handlers instanceof Class<?> given) {
      problems.add("handlers(...) was given the class " + given.getName() + "; give it an object");
      return;
    }
    if (handlers instanceof Iterable<?>) {
      problems.add("handlers(...) was given a collection; give it the handlers themselves");
      return;
    }
    Class<?> type = handlers.getClass();
    EventHandlers marker = type.getAnnotation(EventHandlers.class);
    if (marker == null) {
      problems.add(
          type.getName()
              + " is not marked @EventHandlers; add @EventHandlers(id = \"...\", topics = \"...\")");
      return;
    }
    if (marker.id().isBlank()) {
      problems.add(type.getName() + ": @EventHandlers(id) is blank; give it a lasting name");
    } else if (!InboxEntry.isHandlerId(marker.id())) {
      problems.add(
          type.getName()
              + ": @EventHandlers(id) is longer than 200 characters or has control characters;"
              + " give it a short name");
    }
    if (marker.topics().length == 0 || Arrays.stream(marker.topics()).anyMatch(String::isBlank)) {
      problems.add(type.getName() + ": @EventHandlers(topics) is empty or blank; name the topics");
    }
    List<Method> methods = handlerMethods(type);
    if (methods.isEmpty()) {
      problems.add(type.getName() + " has no method marked @Handles; mark one or do not add it");
    }
    for (Method method : methods) {
      addRoutes(handlers, method, marker);
    }
  }

  /** The routes found so far. */
  public List<Route> routes() {
    return routes;
  }

  private void addRoutes(Object handlers, Method method, EventHandlers marker) {
    String name = name(method);
    int before = problems.size();
    HandlerParameters parameters = HandlerParameters.of(method, name, problems);
    boolean transactional = parameters.transactional();
    checkMethod(method, name, transactional);
    if (problems.size() > before) {
      return;
    }
    VersionRule rule = versions(mark(method, VersionGuard.class), name);
    if (problems.size() > before) {
      return;
    }
    Route.Call call =
        MethodCall.of(
            handlers, method, parameters.kinds(), parameters.takesLists(), name, problems);
    if (call == null) {
      return;
    }
    for (String pattern : Set.of(method.getAnnotation(Handles.class).value())) {
      routes.add(
          new Route(
              marker.id(),
              name,
              Set.copyOf(Arrays.asList(marker.topics())),
              pattern,
              idempotency(mark(method, Idempotent.class)),
              rule,
              parameters.payload(),
              transactional,
              parameters.takesLists(),
              call));
    }
  }

  private void checkMethod(Method method, String name, boolean transactional) {
    Class<?> returns = method.getReturnType();
    boolean asynchronous = CompletionStage.class.isAssignableFrom(returns);
    if (returns != void.class && !asynchronous) {
      problems.add(
          name
              + " returns "
              + returns.getSimpleName()
              + "; return void or a CompletionStage (to publish an event with the effect, append it"
              + " to an Outbox)");
    }
    if (asynchronous && transactional) {
      problems.add(
          name
              + " returns a CompletionStage and takes a Connection; a transaction belongs to one"
              + " thread: return void, or take no Connection");
    }
    if (method.getTypeParameters().length > 0) {
      problems.add(name + " has type parameters, which nothing can fill; take a class");
    }
    if (Modifier.isStatic(method.getModifiers())) {
      problems.add(name + " is static; make it an instance method");
    }
    String[] patterns = method.getAnnotation(Handles.class).value();
    if (patterns.length == 0) {
      problems.add(name + ": @Handles names no event type; name one");
    }
    if (new HashSet<>(Arrays.asList(patterns)).size() < patterns.length) {
      problems.add(name + ": @Handles names a type twice; name it once");
    }
    for (String pattern : patterns) {
      String wrong = patternProblem(pattern);
      if (wrong != null) {
        problems.add(name + ": " + wrong);
      }
    }
  }

  /** Why this is no type or prefix of types, or null when it is one. */
  public static @Nullable String patternProblem(String pattern) {
    if (pattern.isBlank()) {
      return "a blank event type is handled; name the type";
    }
    int star = pattern.indexOf('*');
    if (star >= 0 && star < pattern.length() - 1) {
      return "'" + pattern + "' has a * that is not its end; only prefixes can be matched";
    }
    return null;
  }

  /** Why data cannot be mapped to this class for a lambda, or null when it can. */
  public static @Nullable String payloadProblem(Class<?> payload) {
    if (HandlerParameter.of(payload) != HandlerParameter.PAYLOAD) {
      return payload.getSimpleName()
          + " is no payload; take it from the Delivery: .on(type, delivery -> ...)";
    }
    String problem = HandlerParameter.problem(payload);
    if (problem == null && payload == java.util.Optional.class) {
      problem = "takes an Optional of nobody knows what; use an annotated handler for that";
    }
    return problem;
  }

  private static boolean guarded(Method method) {
    return method.isAnnotationPresent(Idempotent.class)
        || method.isAnnotationPresent(VersionGuard.class);
  }

  private static String name(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  /** The mark of a method, or else of its class. */
  private static <A extends Annotation> @Nullable A mark(Method method, Class<A> marker) {
    A own = method.getAnnotation(marker);
    return own == null ? method.getDeclaringClass().getAnnotation(marker) : own;
  }

  private static Idempotency idempotency(@Nullable Idempotent mark) {
    if (mark == null) {
      return Idempotency.NONE;
    }
    return switch (mark.value()) {
      case EVENT -> Idempotency.EVENT;
      case OFFSET -> Idempotency.OFFSET;
    };
  }

  private static OptionalLong first(VersionGuard mark) {
    return mark.value() == VersionGuard.Mode.LATEST || mark.first() == VersionGuard.ANY
        ? OptionalLong.empty()
        : OptionalLong.of(mark.first());
  }

  private @Nullable VersionRule versions(@Nullable VersionGuard mark, String name) {
    if (mark == null) {
      return null;
    }
    try {
      return new VersionRule(
          switch (mark.value()) {
            case LATEST -> Mode.LATEST;
            case NEXT -> Mode.NEXT;
          },
          first(mark),
          mark.table().isEmpty()
              ? null
              : new GuardedRow(mark.table(), mark.keyColumn(), mark.versionColumn()));
    } catch (IllegalArgumentException e) {
      problems.add(name + ": @VersionGuard: " + e.getMessage());
      return null;
    }
  }

  private List<Method> handlerMethods(Class<?> type) {
    List<Method> methods = new ArrayList<>();
    Set<String> overridden = new HashSet<>();
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      Method[] declared = c.getDeclaredMethods();
      Arrays.sort(declared, java.util.Comparator.comparing(Method::toString));
      for (Method method : declared) {
        String signature = method.getName() + Arrays.toString(method.getParameterTypes());
        if (!method.isBridge() && !method.isSynthetic() && overridden.add(signature)) {
          if (method.isAnnotationPresent(Handles.class)) {
            methods.add(method);
          } else if (guarded(method)) {
            problems.add(
                name(method)
                    + " is marked @Idempotent or @VersionGuard but not @Handles, so nothing calls"
                    + " it; mark it @Handles, or take the mark away");
          }
        }
      }
    }
    return methods;
  }
}
