package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of one server: its data, its log and the programs.
 *
 * @param directory holds {@code data} and {@code postgres.log}
 * @param user whom the server runs as
 * @param binaries the server's programs
 */
record PostgresFiles(Path directory, PostgresUser user, PostgresBinaries binaries) {
  private static final Duration INIT_TIMEOUT = Duration.ofSeconds(60);

  static PostgresFiles in(Path directory) {
    PostgresUser user = PostgresUser.detect();
    return new PostgresFiles(directory, user, PostgresBinaries.unpacked(user));
  }

  Path data() {
    return directory.resolve("data");
  }

  Path log() {
    return directory.resolve("postgres.log");
  }

  /** Starts one of PostgreSQL's programs, logging to {@link #log()}. */
  Process start(String program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(binaries.program(program).toString());
    command.addAll(arguments);
    ProcessBuilder builder =
        Processes.logged(user.run(command), log()).redirectInput(Processes.nullDevice());
    // Messages in English; and on macOS the server insists on a locale that exists.
    builder.environment().put("LC_ALL", "C");
    return builder.start();
  }

  /** Creates the database files unless they are there. */
  void initialize(String superuser, String password) {
    Path fresh = directory.resolve("data.new");
    try {
      if (Files.exists(data())) {
        return;
      }
      if (Files.exists(fresh)) {
        // left by a start that was killed half way
        Directories.delete(fresh);
      }
      Files.createDirectory(fresh);
      Path passwordFile = directory.resolve("password");
      Files.writeString(passwordFile, password);
      user.own(directory);
      user.own(fresh);
      Process initdb =
          start(
              "initdb",
              List.of(
                  "--pgdata=" + fresh,
                  "--username=" + superuser,
                  "--auth=scram-sha-256",
                  "--pwfile=" + passwordFile,
                  "--encoding=UTF8",
                  "--no-locale",
                  "--no-sync",
                  "--no-instructions"));
      if (!Processes.awaitExit(initdb, INIT_TIMEOUT) || initdb.exitValue() != 0) {
        initdb.destroyForcibly();
        throw new TestkitException(
            "initdb could not create a database in " + directory + Directories.tail(log()));
      }
      Files.delete(passwordFile);
      Files.move(fresh, data());
    } catch (IOException e) {
      throw new TestkitException("cannot create a database in " + directory + ": " + e, e);
    }
  }
}
