package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Route.Input;
import dev.onceward.consumer.internal.pipeline.Together.Member;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxOutcome;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transactional half for many: one claim, the handlers one after another, one commit; or one
 * call of a handler that takes lists and needs no transaction. All or nothing. Thread-safe.
 */
final class SharedEffects {

  private final @Nullable Inbox inbox;
  private final Trace trace;

  SharedEffects(@Nullable Inbox inbox, Trace trace) {
    this.inbox = inbox;
    this.trace = trace;
  }

  /**
   * Applies the effects.
   *
   * @param members all with an entry of the inbox, or all of one handler that needs none
   * @param outcomes gets the outcome of each at its position
   * @throws Exception if nothing took effect, as far as the inbox can tell
   */
  void apply(List<Member> members, @Nullable Outcome[] outcomes) throws Exception {
    SharedSpans spans = new SharedSpans(trace, members);
    List<@Nullable Outcome> settled;
    try {
      settled = members.get(0).entry() == null ? call(members, spans) : commit(members, spans);
    } catch (Throwable e) {
      spans.failed(e);
      throw e;
    }
    spans.ended(settled);
    for (int i = 0; i < members.size(); i++) {
      outcomes[members.get(i).position()] = settled.get(i);
    }
  }

  private static List<@Nullable Outcome> call(List<Member> members, SharedSpans spans)
      throws Exception {
    invoke(members, null, spans);
    return Collections.nCopies(members.size(), Outcome.APPLIED);
  }

  private List<@Nullable Outcome> commit(List<Member> members, SharedSpans spans) throws Exception {
    Inbox open = Objects.requireNonNull(inbox, "build() refuses such a handler without an inbox");
    boolean settled = false;
    try {
      List<InboxOutcome> outcomes =
          open.processAll(
              members.stream().map(Member::requireEntry).toList(),
              (tx, fresh) -> effect(fresh.stream().map(members::get).toList(), tx, spans));
      settled = true;
      List<@Nullable Outcome> found = new ArrayList<>(outcomes.size());
      outcomes.forEach(outcome -> found.add(outcome(outcome)));
      return found;
    } finally {
      for (Member member : members) {
        member.prepared().lease().endCommit(settled);
      }
    }
  }

  /** May run more than once: the inbox repeats transactions that lost against another. */
  private static void effect(List<Member> fresh, Connection tx, SharedSpans spans)
      throws Exception {
    spans.restart();
    for (int from = 0, to; from < fresh.size(); from = to) {
      to = endOfCall(fresh, from);
      invoke(fresh.subList(from, to), tx, spans);
    }
    for (Member member : fresh) {
      if (!member.prepared().lease().beginCommit()) {
        throw member.prepared().lease().refusal();
      }
    }
  }

  /** Neighbours of a handler that takes lists are one call; their order must not change. */
  private static int endOfCall(List<Member> members, int from) {
    Route route = members.get(from).prepared().route();
    int to = from + 1;
    while (route.takesLists()
        && to < members.size()
        && members.get(to).prepared().route().equals(route)) {
      to++;
    }
    return to;
  }

  private static void invoke(List<Member> called, @Nullable Connection tx, SharedSpans spans)
      throws Exception {
    List<Input> inputs = new ArrayList<>(called.size());
    for (Member member : called) {
      member.prepared().lease().beginEffect();
      inputs.add(member.prepared().input());
    }
    Route route = called.get(0).prepared().route();
    spans.around(called, () -> route.call().handle(inputs, tx));
    for (Member member : called) {
      member.prepared().lease().stopTime();
    }
  }

  /** Null for what is no outcome of a delivery: that is said when it is handled by itself. */
  private static @Nullable Outcome outcome(InboxOutcome outcome) {
    return switch (outcome) {
      case APPLIED -> Outcome.APPLIED;
      case DUPLICATE -> Outcome.DUPLICATE;
      case STALE -> Outcome.STALE;
      case GAP, WINDOW_EXCEEDED -> null;
    };
  }
}
