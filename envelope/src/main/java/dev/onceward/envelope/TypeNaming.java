package dev.onceward.envelope;

import dev.onceward.envelope.internal.Enforcement;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How event types are named: a reversed domain name of yours, what happened to what, and a version,
 * in lower case: {@code com.acme.orders.placed.v1}. Each part is of letters, digits, {@code _} and
 * {@code -}; there are at least three before the version. That the verb is in the past tense is up
 * to you. Immutable and thread-safe.
 */
public final class TypeNaming {
  private static final Pattern VERSION = Pattern.compile("v[1-9][0-9]{0,8}");
  private static final Pattern PART = Pattern.compile("[a-z0-9]([a-z0-9_-]*[a-z0-9])?");
  private static final int MIN_PARTS = 4;

  private final Enforcement otherwise;

  private TypeNaming(PolicyAction otherwise) {
    this.otherwise = new Enforcement(otherwise);
  }

  /** Warns of other names. */
  public static TypeNaming standard() {
    return of(PolicyAction.WARN);
  }

  /**
   * A policy of your own.
   *
   * @param otherwise what to do with an event whose type is named otherwise
   */
  public static TypeNaming of(PolicyAction otherwise) {
    return new TypeNaming(otherwise);
  }

  /** What is done with an event whose type is named otherwise. */
  public PolicyAction otherwise() {
    return otherwise.action();
  }

  /** What is wrong with the type's name, if anything. Does nothing else. */
  public Optional<String> problem(String type) {
    String[] parts = type.split("\\.", -1);
    for (String part : parts) {
      if (!PART.matcher(part).matches()) {
        return problem(
            type,
            part.isEmpty()
                ? "has an empty part"
                : "has the part '"
                    + part
                    + "', which is not"
                    + " of lower-case letters, digits, '_' and '-'");
      }
    }
    if (!VERSION.matcher(parts[parts.length - 1]).matches()) {
      return problem(type, "does not end in a version");
    }
    return parts.length < MIN_PARTS
        ? problem(type, "has fewer than three parts before the version")
        : Optional.empty();
  }

  /**
   * Applies the policy.
   *
   * @throws EventPolicyException when the type is named otherwise and that is {@link
   *     PolicyAction#REFUSE}d
   */
  public void enforce(Event event) {
    problem(event.getType()).ifPresent(problem -> otherwise.of(event.getType(), problem));
  }

  private static Optional<String> problem(String type, String what) {
    return Optional.of(
        "Event type '%s' %s: name it like com.acme.orders.placed.v1".formatted(type, what));
  }
}
