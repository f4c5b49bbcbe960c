package dev.onceward.examples;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints figures for people to read, a line each. */
public final class Table {

  private final PrintWriter out;

  public Table(PrintWriter out) {
    this.out = out;
  }

  /** One figure and, unless it is empty, what it means. */
  public void line(String name, long value, String note) {
    out.println(String.format(Locale.ROOT, "  %-14s %,9d  %s", name, value, note).stripTrailing());
  }
}
