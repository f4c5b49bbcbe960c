package dev.onceward.testkit;

import dev.onceward.testkit.internal.CloseOnExit;
import dev.onceward.testkit.internal.Directories;
import dev.onceward.testkit.internal.Ports;
import dev.onceward.testkit.internal.PostgresProcess;
import dev.onceward.testkit.internal.TemporaryDirectory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server on the loopback interface, from binaries on the class path. Thread-safe.
 *
 * <p>Clients must authenticate (SCRAM). The server logs to a file in its directory and nothing to
 * the console. When this JVM ends without {@link #close()}, by {@code kill -9} too, a small shell
 * that watches over it stops the server; on Windows there is no such shell.
 *
 * <p>A temporary server does not sync its files: committed data survives {@link #kill()}, not a
 * power cut. A server with a directory of its own does.
 *
 * <p>PostgreSQL refuses to run as root. Under root it runs in a user namespace, or as {@code
 * nobody} where the system grants none; a given directory must then be reachable for that user.
 */
public final class PostgresServer implements AutoCloseable {
  private static final String USER = "postgres";
  private static final String PASSWORD = "onceward";
  private static final Pattern DATABASE_NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

  private final Path directory;
  private final @Nullable TemporaryDirectory temporary;
  private final PostgresProcess.Options options;
  private final CloseOnExit closeOnExit;
  private @Nullable PostgresProcess process;
  private boolean closed;

  private PostgresServer(
      Path directory, @Nullable TemporaryDirectory temporary, PostgresProcess.Options options) {
    this.directory = directory;
    this.temporary = temporary;
    this.options = options;
    this.closeOnExit = CloseOnExit.of("postgres", this::close);
  }

  /** Starts a server on a temporary directory that is deleted on close. */
  public static PostgresServer start() {
    return builder().start();
  }

  /** A builder that starts with a temporary directory and a free port. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects what a server is started with; not thread-safe. */
  public static final class Builder {
    private @Nullable Path directory;
    private @Nullable Integer port;
    private final Map<String, String> settings = new HashMap<>();

    private Builder() {
      settings.put("listen_addresses", "127.0.0.1");
      settings.put("unix_socket_directories", "");
      settings.put("timezone", "UTC");
      settings.put("log_timezone", "UTC");
    }

    /**
     * Keeps the data in {@code directory}, which outlives the server: the next start finds its
     * databases. Created when it does not exist.
     */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /** The port to listen on; a free one unless set. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Sets a server setting, such as {@code max_connections}. */
    public Builder setting(String name, Object value) {
      settings.put(name, value.toString());
      return this;
    }

    /**
     * Starts the server and returns when it accepts connections.
     *
     * @throws TestkitException when it does not start, or the directory is in use
     */
    public PostgresServer start() {
      TemporaryDirectory temporary = null;
      Path home;
      if (directory == null) {
        temporary = TemporaryDirectory.create("onceward-postgres-");
        home = temporary.path();
        settings.putIfAbsent("fsync", "off");
        settings.putIfAbsent("full_page_writes", "off");
      } else {
        home = Directories.create(directory);
      }
      PostgresServer server =
          new PostgresServer(
              home,
              temporary,
              new PostgresProcess.Options(
                  USER, PASSWORD, port == null ? Ports.free() : port, Map.copyOf(settings)));
      try {
        server.restart();
        return server;
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
    }
  }

  /** Shuts the server down in order; data and port stay for {@link #restart()}. */
  public synchronized void stop() {
    if (process != null) {
      PostgresProcess running = process;
      process = null;
      running.stop();
    }
  }

  /** Kills the server and its sessions, as a crash would; does nothing when it does not run. */
  public synchronized void kill() {
    if (process != null) {
      PostgresProcess running = process;
      process = null;
      running.kill();
    }
  }

  /** Stops the server if it runs, and starts it on the same data and port. */
  public synchronized void restart() {
    if (closed) {
      throw new TestkitException("the PostgreSQL server is closed");
    }
    stop();
    process = PostgresProcess.start(directory, options);
  }

  /** Whether the server's process lives. */
  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /**
   * The process id of the server.
   *
   * @throws TestkitException when it does not run
   */
  public synchronized long pid() {
    if (process == null) {
      throw new TestkitException("PostgreSQL in " + directory + " does not run");
    }
    return process.pid();
  }

  /** The port on the loopback interface; it stays the same over restarts. */
  public int port() {
    return options.port();
  }

  /** The user that may do everything. */
  public String user() {
    return options.user();
  }

  /** The password of {@link #user}. */
  public String password() {
    return options.password();
  }

  /** The URL of the database {@code postgres}, without user and password. */
  public String jdbcUrl() {
    return jdbcUrl("postgres");
  }

  private String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database;
  }

  /** New connections to the database {@code postgres}; no pool. */
  public DataSource dataSource() {
    return dataSource("postgres");
  }

  private DataSource dataSource(String database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl(database));
    source.setUser(user());
    source.setPassword(password());
    return source;
  }

  /**
   * Creates an empty database.
   *
   * @param name lower-case letters, digits and {@code _}
   * @throws TestkitException when it exists, or the server does not do it
   */
  public TestDatabase createDatabase(String name) {
    checkName(name);
    // The name is checked: an identifier cannot be a parameter.
    execute("CREATE DATABASE \"" + name + "\"", "create database " + name);
    return handle(name);
  }

  /** The database of that name, created empty unless it is there. */
  public TestDatabase database(String name) {
    checkName(name);
    return exists(name) ? handle(name) : createDatabase(name);
  }

  private boolean exists(String name) {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT 1 FROM pg_database WHERE datname = ?")) {
      statement.setString(1, name);
      try (ResultSet result = statement.executeQuery()) {
        return result.next();
      }
    } catch (SQLException e) {
      throw failure("look for database " + name, e);
    }
  }

  private TestDatabase handle(String name) {
    return new TestDatabase(this, name, jdbcUrl(name), dataSource(name));
  }

  void drop(String name) {
    if (isRunning()) {
      execute("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)", "drop database " + name);
    }
  }

  private static void checkName(String name) {
    if (!DATABASE_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "database name '%s': use at most 63 lower-case letters, digits and '_', no digit first"
              .formatted(name));
    }
  }

  private void execute(String sql, String what) {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw failure(what, e);
    }
  }

  private TestkitException failure(String what, SQLException e) {
    return new TestkitException(
        "cannot %s at %s: %s".formatted(what, jdbcUrl(), e.getMessage()), e);
  }

  /** Stops the server; deletes its data unless a directory was given. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      closeOnExit.cancel();
      if (temporary != null) {
        kill();
        temporary.close();
      } else {
        stop();
      }
    }
  }
}
