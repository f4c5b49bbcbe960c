package dev.onceward.examples;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** How to reach a PostgreSQL database. */
public record Database(String url, String user, String password) {

  private static final String NO_SUCH_DATABASE = "3D000";

  /** What a URL of a PostgreSQL database starts with. */
  static final String URL_PREFIX = "jdbc:postgresql:";

  /**
   * Connects once. A pool would try a wrong password again and again until its timeout.
   *
   * @throws DemoFailure if there is no connection within {@code timeout}
   */
  void check(Duration timeout) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("loginTimeout", Long.toString(Math.max(1, timeout.toSeconds())));
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      if (!connection.isValid((int) Math.max(1, timeout.toSeconds()))) {
        throw new DemoFailure("--database-url: " + place() + " does not answer");
      }
    } catch (SQLException e) {
      throw new DemoFailure(problem(e), e);
    }
  }

  private String problem(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    // 08004 is how the driver says that it has no password to send
    if (state.startsWith("28") || state.equals("08004")) {
      return "--database-user, --database-password: "
          + place()
          + " does not let user "
          + user
          + " in; correct them ["
          + state
          + "]";
    }
    if (state.equals(NO_SUCH_DATABASE)) {
      return "--database-url: there is no such database at " + place() + "; create it [3D000]";
    }
    if (state.startsWith("08")) {
      return "--database-url: no PostgreSQL server answers at "
          + place()
          + "; check host and port and that it runs ["
          + state
          + "]";
    }
    return "--database-url: no connection to " + place() + " [" + state + "]";
  }

  /** The URL without its parameters and user info, among which there may be a password. */
  public String place() {
    return url.replaceFirst("\\?.*", "").replaceFirst("//[^/]*@", "//");
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return place() + " as " + user;
  }
}
