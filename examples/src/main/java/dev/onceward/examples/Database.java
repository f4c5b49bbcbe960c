package dev.onceward.examples;

/** How to reach a PostgreSQL database. */
public record Database(String url, String user, String password) {

  /** Leaves the password out. */
  @Override
  public String toString() {
    return url + " as " + user;
  }
}
