package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.internal.hygiene.SqlTokens.Token;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What the text of a statement shows of state that may stay on the session. The text tells what the
 * server does not before the commit: whether a setting or a temporary table ends with the
 * transaction. What a function does inside shows in no text. Immutable.
 *
 * @param suspicious whether the session should be looked at afterwards
 * @param sets settings that are certainly set for the session, in lower case
 * @param temporary temporary tables, views and sequences that are created, and whether they stay
 */
record SessionTraits(boolean suspicious, Set<String> sets, Map<String, Boolean> temporary) {
  static final SessionTraits NONE = new SessionTraits(false, Set.of(), Map.of());

  private static final Set<String> TRUE = Set.of("true", "t", "on", "yes", "y", "1");
  private static final Set<String> FALSE = Set.of("false", "f", "off", "no", "n", "0");
  private static final List<String> TRIGGERS =
      List.of(
          "set_config",
          "advisory",
          "temp",
          "listen",
          "hold",
          "reset",
          "discard",
          "call",
          "execute",
          "prepare");

  static SessionTraits of(String sql) {
    String lower = sql.toLowerCase(Locale.ROOT);
    if (!mayChangeSession(lower)) {
      return NONE;
    }
    Reading reading = new Reading(SqlTokens.of(sql));
    reading.read();
    return reading.suspicious
        ? new SessionTraits(true, Set.copyOf(reading.sets), Map.copyOf(reading.temporary))
        : NONE;
  }

  /** Spares nearly all statements the reading. */
  private static boolean mayChangeSession(String lower) {
    for (String trigger : TRIGGERS) {
      if (lower.contains(trigger)) {
        return true;
      }
    }
    String start = lower.stripLeading();
    // a comment or a second statement may hide the first word
    return start.startsWith("set")
        || start.startsWith("do")
        || start.startsWith("--")
        || start.startsWith("/*")
        || lower.indexOf(';') >= 0;
  }

  /** One reading of one text. */
  private static final class Reading {
    private final List<Token> tokens;
    private final Set<String> sets = new HashSet<>();
    private final Map<String, Boolean> temporary = new HashMap<>();
    private boolean suspicious;

    Reading(List<Token> tokens) {
      this.tokens = tokens;
    }

    void read() {
      int start = 0;
      while (start < tokens.size()) {
        int end = start;
        while (end < tokens.size() && !tokens.get(end).is(";")) {
          end++;
        }
        readStatement(start, end);
        start = end + 1;
      }
    }

    private void readStatement(int start, int end) {
      if (start == end) {
        return;
      }
      switch (tokens.get(start).text()) {
        case "set" -> readSet(start + 1, end);
        case "create" -> readCreate(start + 1, end);
        case "reset", "discard", "listen", "do", "call", "execute", "prepare" -> suspicious = true;
        case "declare" -> suspicious |= has("hold", start, end);
        default -> {}
      }
      for (int i = start; i < end; i++) {
        readWord(i, end);
      }
    }

    private void readSet(int at, int end) {
      int name = at;
      if (name < end && tokens.get(name).is("session")) {
        name++;
      }
      if (name >= end) {
        return;
      }
      switch (tokens.get(name).text()) {
        case "local", "transaction", "constraints" -> {}
        case "time" -> sets("timezone"); // SET TIME ZONE
        case "authorization" -> sets("session_authorization");
        case "characteristics" -> {
          sets("default_transaction_isolation");
          sets("default_transaction_read_only");
        }
        default -> sets(dotted(name, end));
      }
    }

    private void sets(String setting) {
      suspicious = true;
      sets.add(setting);
    }

    private String dotted(int at, int end) {
      StringBuilder name = new StringBuilder(tokens.get(at).text());
      for (int i = at + 1; i + 1 < end && tokens.get(i).is("."); i += 2) {
        name.append('.').append(tokens.get(i + 1).text());
      }
      return name.toString().toLowerCase(Locale.ROOT);
    }

    private void readCreate(int at, int end) {
      for (int i = at; i < end && i < at + 4; i++) {
        if (isTemporary(i)) {
          readTemporary(i + 1, end);
          return;
        }
      }
    }

    private boolean isTemporary(int at) {
      return tokens.get(at).is("temp") || tokens.get(at).is("temporary");
    }

    private void readTemporary(int at, int end) {
      int i = at;
      while (i < end
          && Set.of("unlogged", "recursive", "table", "view", "sequence", "if", "not", "exists")
              .contains(tokens.get(i).text())) {
        i++;
      }
      if (i + 2 < end && tokens.get(i + 1).is(".")) {
        i += 2; // pg_temp.name
      }
      suspicious = true;
      if (i < end && tokens.get(i).isName()) {
        temporary.put(tokens.get(i).text(), !endsWithTransaction(i, end));
      }
    }

    private boolean endsWithTransaction(int start, int end) {
      for (int i = start; i + 2 < end; i++) {
        if (tokens.get(i).is("on")
            && tokens.get(i + 1).is("commit")
            && tokens.get(i + 2).is("drop")) {
          return true;
        }
      }
      return false;
    }

    private void readWord(int at, int end) {
      Token token = tokens.get(at);
      if (token.kind() != SqlTokens.Kind.WORD && token.kind() != SqlTokens.Kind.NAME) {
        return;
      }
      String word = token.text();
      if (word.equals("set_config") && at + 1 < end && tokens.get(at + 1).is("(")) {
        readSetConfig(at + 2, end);
      } else if (word.contains("advisory") && !word.contains("_xact_")) {
        suspicious = true;
      } else if (word.equals("pg_temp")) {
        suspicious = true;
      } else if (word.equals("into") && at + 1 < end && isTemporary(at + 1)) {
        readTemporary(at + 2, end);
      }
    }

    /** {@code set_config(name, value, is_local)}: for the session unless the last is true. */
    private void readSetConfig(int first, int end) {
      int depth = 0;
      int argument = 1;
      int lastArgument = end;
      int i = first;
      for (; i < end; i++) {
        Token token = tokens.get(i);
        if (token.is("(")) {
          depth++;
        } else if (token.is(")") && depth-- == 0) {
          break;
        } else if (token.is(",") && depth == 0 && ++argument == 3) {
          lastArgument = i + 1;
        }
      }
      boolean single = lastArgument + 1 == i;
      String local = single ? tokens.get(lastArgument).text().toLowerCase(Locale.ROOT) : "";
      if (TRUE.contains(local)) {
        return;
      }
      suspicious = true;
      Token name = first < end ? tokens.get(first) : null;
      if (FALSE.contains(local) && name != null && name.kind() == SqlTokens.Kind.LITERAL) {
        sets.add(name.text().toLowerCase(Locale.ROOT));
      }
    }

    private boolean has(String word, int start, int end) {
      return tokens.subList(start, end).stream().anyMatch(token -> token.is(word));
    }
  }
}
