package dev.onceward.dedupe.internal.hygiene;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the place in the borrower's code that is at work. */
final class Sites {
  private static final List<String> OTHERS =
      List.of(
          "dev.onceward.dedupe.internal.",
          "dev.onceward.dedupe.JdbcInbox",
          "dev.onceward.consumer.internal.",
          "java.",
          "javax.",
          "jdk.",
          "com.sun.proxy.",
          "com.zaxxer.hikari.",
          "org.postgresql.",
          "org.springframework.jdbc.",
          "org.jooq.");

  private Sites() {}

  /** The innermost frame that is neither ours nor a driver's, as in a stack trace. */
  static @Nullable String here() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(frame -> isBorrower(frame.getClassName()))
                    .findFirst()
                    .map(frame -> frame.toStackTraceElement().toString())
                    .orElse(null));
  }

  private static boolean isBorrower(String type) {
    return !type.startsWith("$") && OTHERS.stream().noneMatch(type::startsWith);
  }
}
