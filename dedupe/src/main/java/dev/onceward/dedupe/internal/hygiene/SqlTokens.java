package dev.onceward.dedupe.internal.hygiene;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** PostgreSQL text as words, names, literals and marks, without space and comments. */
final class SqlTokens {
  enum Kind {
    /** A bare word, in lower case. */
    WORD,
    /** A quoted identifier, without its quotes. */
    NAME,
    /** The content of a literal. */
    LITERAL,
    /** One character of anything else, a parameter's ? or $ among them. */
    MARK
  }

  record Token(Kind kind, String text) {
    boolean is(String word) {
      return (kind == Kind.WORD || kind == Kind.MARK) && text.equals(word);
    }

    /** Whether it names something. */
    boolean isName() {
      return kind == Kind.WORD || kind == Kind.NAME;
    }
  }

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private SqlTokens(String sql) {
    this.sql = sql;
  }

  static List<Token> of(String sql) {
    SqlTokens scan = new SqlTokens(sql);
    while (scan.at < sql.length()) {
      scan.next();
    }
    return scan.tokens;
  }

  private void next() {
    char c = sql.charAt(at);
    if (Character.isWhitespace(c)) {
      at++;
    } else if (sql.startsWith("--", at)) {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end + 1;
    } else if (sql.startsWith("/*", at)) {
      skipComment();
    } else if (c == '\'') {
      quoted(Kind.LITERAL, c, false);
    } else if (c == '"') {
      quoted(Kind.NAME, c, false);
    } else if (c == '$' && dollarQuoted()) {
      return;
    } else if (Character.isLetterOrDigit(c) || c == '_') {
      word();
    } else {
      add(Kind.MARK, String.valueOf(c));
      at++;
    }
  }

  private void word() {
    int start = at;
    while (at < sql.length() && isWordPart(sql.charAt(at))) {
      at++;
    }
    String word = sql.substring(start, at).toLowerCase(Locale.ROOT);
    if (word.equals("e") && at < sql.length() && sql.charAt(at) == '\'') {
      quoted(Kind.LITERAL, '\'', true);
    } else {
      add(Kind.WORD, word);
    }
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  private void quoted(Kind kind, char quote, boolean backslashes) {
    StringBuilder content = new StringBuilder();
    at++;
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c == '\\' && backslashes && at < sql.length()) {
        content.append(sql.charAt(at++));
      } else if (c != quote) {
        content.append(c);
      } else if (at < sql.length() && sql.charAt(at) == quote) {
        content.append(c); // a doubled quote stands for itself
        at++;
      } else {
        break;
      }
    }
    add(kind, content.toString());
  }

  private void skipComment() {
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  private boolean dollarQuoted() {
    int tagEnd = at + 1;
    while (tagEnd < sql.length()
        && (Character.isLetterOrDigit(sql.charAt(tagEnd)) || sql.charAt(tagEnd) == '_')) {
      tagEnd++;
    }
    boolean opens =
        tagEnd < sql.length()
            && sql.charAt(tagEnd) == '$'
            && !(tagEnd > at + 1 && Character.isDigit(sql.charAt(at + 1)));
    if (!opens) {
      return false;
    }
    String delimiter = sql.substring(at, tagEnd + 1);
    int end = sql.indexOf(delimiter, tagEnd + 1);
    add(Kind.LITERAL, sql.substring(tagEnd + 1, end < 0 ? sql.length() : end));
    at = end < 0 ? sql.length() : end + delimiter.length();
    return true;
  }

  private void add(Kind kind, String text) {
    tokens.add(new Token(kind, text));
  }
}
