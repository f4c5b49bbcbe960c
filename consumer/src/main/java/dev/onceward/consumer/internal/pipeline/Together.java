package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.SharedDelivery;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.dedupe.InboxEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles deliveries together: each is prepared by the steps that it would also go through by
 * itself, then those that can share a transaction, or one call of their handler, do. Whatever is
 * out of the ordinary is left to be handled by itself, and so is what follows it in its lane.
 * Thread-safe.
 */
final class Together {

  private static final Logger log = LoggerFactory.getLogger(Together.class);

  private final List<Interceptor> preparation;
  private final InboxEntries entries;
  private final SharedEffects effects;

  Together(List<Interceptor> preparation, InboxEntries entries, SharedEffects effects) {
    this.preparation = List.copyOf(preparation);
    this.entries = entries;
    this.effects = effects;
  }

  /**
   * What deliveries must have in common to be handled together.
   *
   * @param route the handler, when it needs no transaction; with one all handlers go together
   * @param settings the settings of the transaction
   */
  private record Kind(@Nullable Route route, Map<String, String> settings) {}

  /** A delivery that is ready for its effect, and its position. */
  record Member(int position, PreparedDelivery prepared, @Nullable InboxEntry entry) {

    InboxEntry requireEntry() {
      return Objects.requireNonNull(entry, "what shares a transaction has an entry");
    }
  }

  /** By position what became of each, null for what was not handled. */
  List<@Nullable Outcome> handle(List<SharedDelivery> deliveries) {
    @Nullable Outcome[] outcomes = new @Nullable Outcome[deliveries.size()];
    for (List<Member> members : group(deliveries)) {
      try {
        effects.apply(members, outcomes);
      } catch (Throwable e) {
        // Errors too: what others have done on this thread must not be lost with these
        log.debug("{} events are handled by themselves, not together", members.size(), e);
      }
    }
    return Arrays.asList(outcomes);
  }

  private Iterable<List<Member>> group(List<SharedDelivery> deliveries) {
    Map<Kind, List<Member>> groups = new LinkedHashMap<>();
    Map<Object, Kind> kinds = new HashMap<>();
    Set<Object> held = new HashSet<>();
    for (int i = 0; i < deliveries.size(); i++) {
      Object lane = deliveries.get(i).lane();
      Member member = held.contains(lane) ? null : prepare(i, deliveries.get(i));
      Kind kind = member == null ? null : kind(member);
      // one lane in two groups would lose its order when the first of them fails
      if (member == null || kind == null || !kind.equals(kinds.computeIfAbsent(lane, l -> kind))) {
        held.add(lane);
      } else {
        groups.computeIfAbsent(kind, k -> new ArrayList<>()).add(member);
      }
    }
    return groups.values();
  }

  private static Kind kind(Member member) {
    InboxEntry entry = member.entry();
    return entry == null
        ? new Kind(member.prepared().route(), Map.of())
        : new Kind(null, entry.settings());
  }

  private @Nullable Member prepare(int position, SharedDelivery shared) {
    PipelineChain chain = new PipelineChain(preparation, shared.delivery());
    try {
      chain.proceed(shared.delivery());
      PreparedDelivery prepared = chain.prepared();
      if (prepared == null) {
        return null;
      }
      boolean inbox = prepared.route().needsInbox();
      return new Member(position, prepared, inbox ? entries.of(prepared) : null);
    } catch (Throwable e) {
      // whatever it is, it fails again by itself, and is reported then
      log.debug("{} is handled by itself", shared.delivery(), e);
      return null;
    }
  }
}
