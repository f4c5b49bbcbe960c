package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.pipeline.Together.Member;
import dev.onceward.tracing.EventTracing.ProcessSpan;
import io.opentelemetry.context.Scope;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The process spans of deliveries that are handled together. Each begins when its handler is
 * called, and ends when the effects of all are committed. Confined to one thread.
 */
final class SharedSpans {

  private final Trace trace;
  private final List<Member> members;

  /**
   * By identity: a member is a value with much in it, and hashing that costs more than the span.
   */
  private final IdentityHashMap<Member, ProcessSpan> open = new IdentityHashMap<>();

  SharedSpans(Trace trace, List<Member> members) {
    this.trace = trace;
    this.members = members;
  }

  /** Whatever has run before is rolled back, and runs again. */
  void restart() {
    failed(new IllegalStateException("the transaction was rolled back and is repeated"));
  }

  /** Calls a handler in the span of its delivery, or in one span for several. */
  void around(List<Member> called, Call call) throws Exception {
    ProcessSpan span = start(called);
    called.forEach(member -> open.put(member, span));
    try (Scope scope = span.makeCurrent()) {
      call.run();
    } catch (Throwable e) {
      called.forEach(open::remove);
      span.failed(e);
      throw e;
    }
  }

  private ProcessSpan start(List<Member> called) {
    Member first = called.get(0);
    return called.size() == 1
        ? trace.start(first.prepared().delivery())
        : trace.start(
            called.stream().map(member -> member.prepared().delivery()).toList(),
            first.prepared().route());
  }

  /** All have an outcome; a delivery whose handler was not needed has a short span. */
  void ended(List<@Nullable Outcome> outcomes) {
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      Outcome outcome = outcomes.get(i);
      if (outcome == null) {
        // it is handled once more, by itself
        continue;
      }
      ProcessSpan span = open.remove(member);
      if (span == null) {
        span = trace.start(member.prepared().delivery());
      }
      span.ended(outcome.name().toLowerCase(Locale.ROOT));
    }
  }

  /** Nothing took effect. */
  void failed(Throwable error) {
    open.values().forEach(span -> span.failed(error));
    open.clear();
  }

  /** A call of a handler. */
  @FunctionalInterface
  interface Call {
    void run() throws Exception;
  }
}
