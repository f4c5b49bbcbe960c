package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.ConsumerConfigurationException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Finds the handler of a (topic, event type). Immutable. */
public final class Routes {

  private final List<Route> all;
  private final Map<String, TopicRoutes> byTopic;

  private Routes(Collection<Route> all, Map<String, TopicRoutes> byTopic) {
    this.all = List.copyOf(all);
    this.byTopic = Map.copyOf(byTopic);
  }

  /**
   * Indexes the routes.
   *
   * @throws ConsumerConfigurationException if two handlers take the same type from the same topic
   */
  public static Routes of(Collection<Route> routes) {
    Map<String, Map<String, Route>> patterns = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    for (Route route : routes) {
      for (String topic : route.topics()) {
        Route other =
            patterns
                .computeIfAbsent(topic, t -> new HashMap<>())
                .putIfAbsent(route.typePattern(), route);
        if (other != null) {
          problems.add(clash(topic, route, other));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new ConsumerConfigurationException(problems);
    }
    Map<String, TopicRoutes> byTopic = new HashMap<>();
    patterns.forEach((topic, byPattern) -> byTopic.put(topic, TopicRoutes.of(byPattern)));
    return new Routes(routes, byTopic);
  }

  private static String clash(String topic, Route route, Route other) {
    String both =
        route.name()
            + " and "
            + other.name()
            + " both handle "
            + route.typePattern()
            + " of topic ";
    String fix =
        route.handlerId().equals(other.handlerId())
            ? "; remove one"
            : "; two effects of one event must not share an offset: give each handler id a consumer"
                + " with a group of its own";
    return both + topic + fix;
  }

  public List<Route> all() {
    return all;
  }

  /** The same routes, each changed, but for what it takes. */
  public Routes map(UnaryOperator<Route> change) {
    Map<String, TopicRoutes> changed = new HashMap<>();
    byTopic.forEach((topic, routes) -> changed.put(topic, routes.map(change)));
    return new Routes(all.stream().map(change).toList(), changed);
  }

  public Set<String> topics() {
    return byTopic.keySet();
  }

  /** The handler for the type, or null when nobody handles it. */
  public @Nullable Route find(String topic, String type) {
    TopicRoutes routes = byTopic.get(topic);
    return routes == null ? null : routes.find(type);
  }

  private record TopicRoutes(Map<String, Route> exact, List<Route> prefixes) {

    static TopicRoutes of(Map<String, Route> byPattern) {
      Map<String, Route> exact = new HashMap<>();
      List<Route> prefixes = new ArrayList<>();
      byPattern.forEach(
          (pattern, route) -> {
            if (pattern.endsWith("*")) {
              prefixes.add(route);
            } else {
              exact.put(pattern, route);
            }
          });
      prefixes.sort(
          Comparator.comparingInt((Route route) -> route.typePattern().length()).reversed());
      return new TopicRoutes(Map.copyOf(exact), List.copyOf(prefixes));
    }

    TopicRoutes map(UnaryOperator<Route> change) {
      Map<String, Route> changed = new HashMap<>();
      exact.forEach((type, route) -> changed.put(type, change.apply(route)));
      return new TopicRoutes(Map.copyOf(changed), prefixes.stream().map(change).toList());
    }

    @Nullable Route find(String type) {
      Route route = exact.get(type);
      if (route != null) {
        return route;
      }
      for (Route candidate : prefixes) {
        String pattern = candidate.typePattern();
        if (type.regionMatches(0, pattern, 0, pattern.length() - 1)) {
          return candidate;
        }
      }
      return null;
    }
  }
}
