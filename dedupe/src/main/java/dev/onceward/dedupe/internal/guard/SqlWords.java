package dev.onceward.dedupe.internal.guard;

import java.util.Locale;

/**
 * The bare words of SQL text, statement by statement: no comments, literals, dollar quotes or
 * quoted names.
 */
public final class SqlWords {

  /** How databases write comments and literals. */
  public enum Lexis {
    POSTGRESQL,
    /** Backslashes in literals, # comments, and comments that are run. */
    MYSQL,
    /** Comments with two slashes. */
    H2
  }

  private final String sql;
  private final Lexis lexis;
  private int at;
  private int wordStart;

  public SqlWords(String sql, Lexis lexis) {
    this.sql = sql;
    this.lexis = lexis;
  }

  /** Moves to the next statement; false when there is none. */
  public boolean nextStatement() {
    if (sql.indexOf(';', at) < 0) {
      return false; // the common case costs no scan
    }
    while (advance()) {}
    at++; // the semicolon
    return at < sql.length();
  }

  /** The next word of this statement in upper case, or an empty one at the statement's end. */
  public String next() {
    return advance() ? sql.substring(wordStart, at).toUpperCase(Locale.ROOT) : "";
  }

  void skipAll() {
    at = sql.length();
  }

  private boolean advance() {
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == ';') {
        return false;
      }
      if (Character.isLetter(c) || c == '_') {
        wordStart = at;
        skipWord();
        if (!isEscapePrefix()) {
          return true;
        }
        skipQuoted('\'', true);
      } else {
        skipOther(c);
      }
    }
    return false;
  }

  private boolean isEscapePrefix() {
    return lexis == Lexis.POSTGRESQL
        && at - wordStart == 1
        && (sql.charAt(wordStart) | 0x20) == 'e'
        && at < sql.length()
        && sql.charAt(at) == '\'';
  }

  private void skipOther(char c) {
    if (c == '\'' || c == '"') {
      skipQuoted(c, lexis == Lexis.MYSQL);
    } else if (c == '`' && lexis != Lexis.POSTGRESQL) {
      skipQuoted(c, false);
    } else if (startsLineComment(c)) {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end + 1;
    } else if (lexis == Lexis.MYSQL && (sql.startsWith("/*!", at) || sql.startsWith("/*M!", at))) {
      at = sql.indexOf('!', at) + 1; // a comment that is run, by servers of a version
    } else if (sql.startsWith("/*", at)) {
      skipComment();
    } else if (c == '$' && lexis != Lexis.MYSQL) {
      skipDollarQuoted();
    } else if (Character.isDigit(c)) {
      skipWord(); // $1, 1e5: no word starts inside
    } else {
      at++;
    }
  }

  private boolean startsLineComment(char c) {
    return switch (lexis) {
      case POSTGRESQL -> sql.startsWith("--", at);
      case H2 -> sql.startsWith("--", at) || sql.startsWith("//", at);
      // MySQL takes 1--1 for a sum
      case MYSQL ->
          c == '#'
              || (sql.startsWith("--", at)
                  && (at + 2 == sql.length() || sql.charAt(at + 2) <= ' '));
    };
  }

  private void skipWord() {
    while (at < sql.length() && (isTagPart(sql.charAt(at)) || sql.charAt(at) == '$')) {
      at++;
    }
  }

  private void skipQuoted(char quote, boolean backslashes) {
    at++;
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c == '\\' && backslashes) {
        at = Math.min(at + 1, sql.length());
      } else if (c == quote) {
        if (at == sql.length() || sql.charAt(at) != quote) {
          return;
        }
        at++; // a doubled quote stands for itself
      }
    }
  }

  private void skipComment() {
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth = lexis == Lexis.MYSQL ? 1 : depth + 1;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  private void skipDollarQuoted() {
    int tagEnd = at + 1;
    while (tagEnd < sql.length() && isTagPart(sql.charAt(tagEnd))) {
      tagEnd++;
    }
    boolean opens =
        tagEnd < sql.length()
            && sql.charAt(tagEnd) == '$'
            && !(tagEnd > at + 1 && Character.isDigit(sql.charAt(at + 1)));
    if (!opens) {
      at++;
      return;
    }
    String delimiter = sql.substring(at, tagEnd + 1);
    int end = sql.indexOf(delimiter, tagEnd + 1);
    at = end < 0 ? sql.length() : end + delimiter.length();
  }

  private static boolean isTagPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }
}
