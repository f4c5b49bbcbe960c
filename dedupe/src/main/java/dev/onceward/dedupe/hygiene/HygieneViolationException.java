package dev.onceward.dedupe.hygiene;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A connection was to be given back with state of its borrower on it. Thrown on the borrower's own
 * stack: by {@code close()} of a {@link HygienicDataSource}'s connection, or by the inbox in place
 * of the commit, when nothing of the effect is committed.
 *
 * <p>Unchecked, because it is a mistake in the borrowing code: as an {@code SQLException} it would
 * be taken for trouble with the database. The message is one line that names what was left, the fix
 * and where it was left; it holds no values of settings.
 */
public final class HygieneViolationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Leak> leaks;
  private final @Nullable String site;

  /**
   * Creates the exception.
   *
   * @param borrower how the message begins: who left the state, and what follows from it
   * @param leaks what was left; not empty
   * @param site the place in the borrower's code where it was left, as in a stack trace, where
   *     known
   */
  public HygieneViolationException(String borrower, List<Leak> leaks, @Nullable String site) {
    super(
        borrower
            + " left "
            + leaks.stream().map(Leak::describe).collect(Collectors.joining("; "))
            + (site == null ? "" : "; at " + site));
    this.leaks = List.copyOf(leaks);
    this.site = site;
  }

  /** What was left. Empty after deserialization. */
  public List<Leak> leaks() {
    return leaks == null ? List.of() : leaks;
  }

  /**
   * Where in the borrower's code the state was left, as in a stack trace: the statement whose text
   * shows it, else the call that gave the connection back. Empty where neither is known.
   */
  public Optional<String> site() {
    return Optional.ofNullable(site);
  }
}
