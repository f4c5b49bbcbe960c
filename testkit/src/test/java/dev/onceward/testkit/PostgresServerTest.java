package dev.onceward.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class PostgresServerTest {

  @Test
  void committedRowsSurviveStopAndKillOnTheSamePort() throws Exception {
    try (PostgresServer postgres = PostgresServer.start()) {
      int port = postgres.port();
      DataSource database = postgres.createDatabase("orders").dataSource();
      execute(database, "CREATE TABLE ledger (amount int)", "INSERT INTO ledger VALUES (1)");
      postgres.stop();
      assertThat(postgres.isRunning()).isFalse();
      postgres.restart();
      execute(database, "INSERT INTO ledger VALUES (2)");
      try (Connection open = database.getConnection();
          Statement statement = open.createStatement()) {
        statement.execute("BEGIN; INSERT INTO ledger VALUES (3)");
        postgres.kill();
        assertThatThrownBy(() -> statement.execute("COMMIT")).isInstanceOf(SQLException.class);
      }
      postgres.restart();
      assertThat(postgres.port()).isEqualTo(port);
      assertThat(sum(database)).isEqualTo(3);
    }
  }

  @Test
  void aDirectoryOutlivesTheServerAndServesOneAtATime(@TempDir Path directory) throws Exception {
    try (PostgresServer postgres = PostgresServer.builder().directory(directory).start()) {
      execute(
          postgres.database("orders").dataSource(),
          "CREATE TABLE ledger (amount int)",
          "INSERT INTO ledger VALUES (7)");
      assertThatThrownBy(() -> PostgresServer.builder().directory(directory).start())
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("in use by process " + ProcessHandle.current().pid());
    }
    leavePidFileOfAnotherProcess(directory.resolve("data"));
    try (PostgresServer postgres = PostgresServer.builder().directory(directory).start()) {
      assertThat(sum(postgres.database("orders").dataSource())).isEqualTo(7);
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void noServerOutlivesAKilledParentAndTheDirectoryStaysUsable(@TempDir Path directory)
      throws Exception {
    Path data = directory.resolve("db");
    Path output = directory.resolve("out");
    Process parent = JavaProgram.start(OrphanMakers.PostgresParent.class, output, data.toString());
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(output).endsWith("\n") || !parent.isAlive());
    ProcessHandle server =
        ProcessHandle.of(Long.parseLong(Files.readString(output).strip())).orElseThrow();
    assertThatThrownBy(() -> PostgresServer.builder().directory(data).start())
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("in use by process " + parent.pid());

    parent.destroyForcibly().waitFor();

    try (PostgresServer next = PostgresServer.builder().directory(data).start()) {
      assertThat(next.isRunning()).isTrue();
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !server.isAlive());
      assertThat(next.isRunning()).isTrue();
    }
  }

  @Test
  void wrongPasswordsAndWrongOrTakenDatabaseNamesAreRefused() {
    try (PostgresServer postgres = PostgresServer.start()) {
      assertThatThrownBy(
              () -> DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "wrong"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password authentication failed");
      assertThatThrownBy(() -> postgres.createDatabase("a\"; DROP"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("lower-case letters");
      postgres.createDatabase("orders");
      assertThatThrownBy(() -> postgres.createDatabase("orders"))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("create database orders")
          .hasMessageContaining("already exists");
    }
  }

  /** As after a crash of the machine, when the server's id has gone to another process. */
  private static void leavePidFileOfAnotherProcess(Path data) throws IOException {
    Files.write(
        data.resolve("postmaster.pid"),
        List.of(
            Long.toString(ProcessHandle.current().pid()),
            data.toString(),
            Long.toString(Instant.now().minusSeconds(86_400).getEpochSecond())),
        StandardCharsets.UTF_8);
  }

  private static void execute(DataSource database, String... statements) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static long sum(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT sum(amount) FROM ledger")) {
      assertThat(result.next()).isTrue();
      return result.getLong(1);
    }
  }
}
