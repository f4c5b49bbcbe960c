package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.internal.handler.Route.PayloadParameter;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of one handler method. */
final class HandlerParameters {

  private final String name;
  private final List<String> problems;
  private final List<HandlerParameter> kinds = new ArrayList<>();
  private final Set<HandlerParameter> seen = new HashSet<>();
  private @Nullable PayloadParameter payload;
  private boolean takesLists;
  private boolean takesSingles;

  private HandlerParameters(String name, List<String> problems) {
    this.name = name;
    this.problems = problems;
  }

  /**
   * Looks at the parameters of a method.
   *
   * @param name how messages name the handler
   * @param problems gets what is wrong, a line each
   */
  static HandlerParameters of(Method method, String name, List<String> problems) {
    HandlerParameters found = new HandlerParameters(name, problems);
    for (Parameter parameter : method.getParameters()) {
      found.add(parameter);
    }
    if (found.takesLists && found.takesSingles) {
      problems.add(
          name
              + " takes a list and a single value; a handler of several events takes lists only,"
              + " and the Connection");
    }
    return found;
  }

  /** What the method takes, in order. */
  List<HandlerParameter> kinds() {
    return kinds;
  }

  /** The payload it takes, if any. */
  @Nullable PayloadParameter payload() {
    return payload;
  }

  /** Whether it takes the connection of the transaction. */
  boolean transactional() {
    return seen.contains(HandlerParameter.CONNECTION);
  }

  /** Whether it takes several deliveries at once. */
  boolean takesLists() {
    return takesLists;
  }

  private void add(Parameter parameter) {
    if (parameter.getType() != List.class) {
      add(parameter.getAnnotatedType(), parameter, false);
    } else if (parameter.getAnnotatedType() instanceof AnnotatedParameterizedType list) {
      AnnotatedType element = list.getAnnotatedActualTypeArguments()[0];
      add(
          element instanceof AnnotatedWildcardType wildcard
              ? wildcard.getAnnotatedUpperBounds()[0]
              : element,
          parameter,
          true);
    } else {
      problems.add(name + " takes a List of what it does not say; say it: List<OrderPlaced>");
    }
  }

  private void add(AnnotatedType type, Parameter parameter, boolean list) {
    Class<?> raw = HandlerParameter.rawType(type.getType());
    String problem = raw == null ? null : HandlerParameter.problem(raw);
    if (problem != null) {
      problems.add(name + " " + problem);
      return;
    }
    HandlerParameter kind = raw == null ? HandlerParameter.PAYLOAD : HandlerParameter.of(raw);
    if (list && kind == HandlerParameter.CONNECTION) {
      problems.add(name + " takes a list of connections; there is one for all: take a Connection");
    }
    if (list && kind == HandlerParameter.LEASE) {
      problems.add(name + " takes a list of leases; take a List<Delivery>, and ask each for its");
    }
    if (!seen.add(kind)) {
      problems.add(
          name
              + " has two parameters for the "
              + kind.name().toLowerCase(Locale.ROOT)
              + " ("
              + parameter.getType().getSimpleName()
              + " is the second); keep one");
    }
    if (kind == HandlerParameter.PAYLOAD) {
      boolean nullable =
          list
              ? HandlerParameter.acceptsNoData(type)
              : HandlerParameter.acceptsNoData(type, parameter.getAnnotations());
      payload = new PayloadParameter(type.getType(), nullable);
    }
    takesLists |= list;
    takesSingles |= !list && kind != HandlerParameter.CONNECTION;
    kinds.add(kind);
  }
}
