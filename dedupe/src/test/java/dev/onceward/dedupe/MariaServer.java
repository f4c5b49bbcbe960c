package dev.onceward.dedupe;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The MariaDB server that is installed, as a child process on a loopback port with a data directory
 * of its own. It ends with the test JVM.
 */
final class MariaServer {
  static final String MISSING =
      "no MariaDB server is installed, so the inbox is not tested on it; on Debian: apt-get install"
          + " --no-install-recommends mariadb-server-core";

  private static final List<Path> PLACES =
      List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"), Path.of("/usr/local/bin"));

  private final int port;

  private MariaServer(int port) {
    this.port = port;
  }

  static boolean isInstalled() {
    return find("mariadbd").isPresent() && find("mariadb-install-db").isPresent();
  }

  static MariaServer running() {
    return Running.INSTANCE;
  }

  String url(String database) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=root";
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(""));
  }

  private static Optional<Path> find(String program) {
    return PLACES.stream()
        .map(place -> place.resolve(program))
        .filter(Files::isExecutable)
        .findAny();
  }

  private static String path(String program) {
    return find(program).orElseThrow().toString();
  }

  private static MariaServer start() {
    try {
      Path home = Files.createTempDirectory("onceward-mariadb");
      Path data = home.resolve("data");
      String user = System.getProperty("user.name");
      run(
          home,
          path("mariadb-install-db"),
          "--no-defaults",
          "--auth-root-authentication-method=normal",
          "--skip-test-db",
          "--user=" + user,
          "--datadir=" + data);
      int port = freePort();
      Process server =
          process(
              home,
              path("mariadbd"),
              "--no-defaults",
              "--user=" + user,
              "--datadir=" + data,
              "--bind-address=127.0.0.1",
              "--port=" + port,
              "--socket=" + home.resolve("s"),
              "--pid-file=" + home.resolve("pid"),
              "--innodb-buffer-pool-size=64M",
              "--innodb-flush-log-at-trx-commit=0",
              "--innodb-lock-wait-timeout=20",
              "--max-connections=200");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, home)));
      MariaServer started = new MariaServer(port);
      await()
          .atMost(Duration.ofSeconds(60))
          .failFast("MariaDB ended; see " + log(home), () -> !server.isAlive())
          .ignoreExceptions()
          .until(
              () -> {
                started.connect().close();
                return true;
              });
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start MariaDB", e);
    }
  }

  private static void run(Path home, String... command) throws IOException {
    Process process = process(home, command);
    try {
      if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(command[0] + " failed: " + Files.readString(log(home)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static Process process(Path home, String... command) throws IOException {
    return new ProcessBuilder(new ArrayList<>(List.of(command)))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log(home).toFile()))
        .start();
  }

  private static Path log(Path home) {
    return home.resolve("log");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void stop(Process server, Path home) {
    server.destroyForcibly(); // its data is of no more use
    try {
      server.waitFor(20, TimeUnit.SECONDS);
      try (Stream<Path> files = Files.walk(home)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + home, e);
    }
  }

  private static final class Running {
    static final MariaServer INSTANCE = start();
  }
}
