package dev.onceward.dedupe.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionControlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COMMIT | COMMIT",
        "  Commit;| COMMIT",
        "(commit| COMMIT",
        "commit work| COMMIT",
        "COMMIT PREPARED 'x'| COMMIT",
        "END| END",
        "abort| ABORT",
        "begin| BEGIN",
        "START  TRANSACTION| START TRANSACTION",
        "PREPARE TRANSACTION 'x'| PREPARE TRANSACTION",
        "rollback| ROLLBACK",
        "ROLLBACK WORK| ROLLBACK",
        "ROLLBACK AND CHAIN| ROLLBACK",
        "ROLLBACK PREPARED 'x'| ROLLBACK",
        "-- hi\\n/* a /* b */ c */ COMMIT| COMMIT",
        ";;COMMIT| COMMIT",
        "SELECT 1; COMMIT; BEGIN| COMMIT",
        "SELECT 'it''s'; COMMIT| COMMIT",
        "SELECT E'\\\\'; COMMIT'; END| END",
        "SELECT $$;$$; COMMIT| COMMIT",
        "SELECT $a$ $b$ ; $a$; COMMIT| COMMIT",
        "SELECT $1; COMMIT| COMMIT",
        "SELECT \"a;b\"; COMMIT| COMMIT",
        "ROLLBACK TO a; COMMIT| COMMIT",
        "SELECT 1 -- ;\\n; COMMIT| COMMIT",
        "SELECT a$b$c; COMMIT| COMMIT",
        "CREATE TABLE t (a int); COMMIT| COMMIT",
      })
  void textThatEndsOrBeginsATransactionIsFound(String sql, String command) {
    String text = sql.replace("\\n", "\n").replace("\\\\", "\\");

    assertThat(TransactionControl.of(text).ending()).isEqualTo(command);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        " -- COMMIT",
        "/* COMMIT; */ SELECT 1",
        "/* COMMIT",
        "SELECT 'COMMIT; COMMIT'",
        "SELECT '; COMMIT",
        "SELECT E'\\'; COMMIT; --'",
        "SELECT $$; COMMIT; $$",
        "DO $x$ BEGIN COMMIT; END $x$",
        "SELECT $x$ ; COMMIT",
        "SELECT \"; COMMIT\"",
        "INSERT INTO commit VALUES (1)",
        "UPDATE t SET commit = 1; SELECT 1",
        "commitment",
        "commit_log()",
        "PREPARE q AS SELECT 1",
        "START",
        "SAVEPOINT a",
        "RELEASE SAVEPOINT a",
        "SELECT CASE WHEN true THEN 1 END",
        "CREATE FUNCTION f() RETURNS int LANGUAGE SQL BEGIN ATOMIC SELECT 1; SELECT 2; END",
        "SELECT 1e5; SELECT 2",
        "\\",
        "E'\\",
        "$",
        "$a",
      })
  void textThatDoesNotIsLetThrough(String sql) {
    assertThat(TransactionControl.of(sql)).isEqualTo(TransactionControl.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROLLBACK TO a",
        "rollback to savepoint a",
        "ROLLBACK WORK TO a",
        "ROLLBACK TRANSACTION TO SAVEPOINT a",
        "SELECT 1; ROLLBACK TO a; SELECT 2"
      })
  void rollingBackToASavepointIsAllowedAndRecognised(String sql) {
    assertThat(TransactionControl.of(sql)).isEqualTo(new TransactionControl(null, true));
  }

  @Test
  void longTextIsReadInLinearTime() {
    String sql = "SELECT '" + "x".repeat(1_000) + "'; ";

    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(30), () -> TransactionControl.of(sql.repeat(10_000)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SET search_path = x| SET",
        "set session authorization x| SET",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY| SET",
        "SELECT 1; SET ROLE x| SET",
        "SET \"a.b\" = 1| SET",
        "RESET ROLE| RESET",
        "DISCARD TEMP| DISCARD",
        "LISTEN x| LISTEN",
      })
  void textThatChangesTheSessionIsFound(String sql, String command) {
    assertThat(TransactionControl.of(sql).lasting()).isEqualTo(command);
    assertThat(TransactionControl.of(sql).ending()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET LOCAL search_path = x",
        "SET TRANSACTION READ ONLY",
        "SET CONSTRAINTS ALL DEFERRED",
        "UPDATE t SET a = 1",
        "ALTER ROLE x SET search_path = y",
        "SELECT 'SET'",
      })
  void textThatChangesNothingBeyondTheTransactionIsLetThrough(String sql) {
    assertThat(TransactionControl.of(sql)).isEqualTo(TransactionControl.NONE);
  }
}
