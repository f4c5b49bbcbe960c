package dev.onceward.dedupe.internal.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dedupe.internal.guard.TransactionControl;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MySqlRulesTest {
  private final MySqlRules rules = new MySqlRules();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "commit | COMMIT",
        "BEGIN WORK | BEGIN",
        "start transaction read only | START TRANSACTION",
        "ROLLBACK | ROLLBACK",
        "XA END 'x' | XA",
        "/* hi */ create table t (a int) | CREATE",
        "CREATE OR REPLACE TABLE t (a int) | CREATE",
        "ALTER TABLE t ADD a INT | ALTER",
        "LOCK TABLES t READ | LOCK",
        "LOAD INDEX INTO CACHE t | LOAD INDEX",
        "SET PASSWORD = 'x' | SET PASSWORD",
        "SET STATEMENT max_statement_time=1 FOR TRUNCATE t | TRUNCATE",
        "SELECT 'it\\'s'; DROP TABLE t | DROP",
        "SELECT \"a\\\";b\"; DROP TABLE t | DROP",
        "SELECT `a;b`; COMMIT | COMMIT",
        "SELECT 1--1; COMMIT | COMMIT",
        "# a comment\\n COMMIT | COMMIT",
        "-- a comment\\n COMMIT | COMMIT",
        "/*!50000 COMMIT */ | COMMIT",
        "/*M!100100 COMMIT */ | COMMIT",
        "/* a /* b */ COMMIT | COMMIT",
      })
  void whatEndsTheTransactionIsSeen(String sql, String command) {
    assertThat(rules.read(sql.replace("\\n", "\n")).ending()).startsWith(command);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET @a = 1",
        "set local sql_mode = ''",
        "SET NAMES utf8mb4",
        "USE other",
        "PREPARE s FROM 'COMMIT'",
        "EXECUTE IMMEDIATE 'COMMIT'",
        "CREATE TEMPORARY TABLE t (a int)",
        "SELECT get_lock('x', 1)",
      })
  void whatOutlivesTheTransactionIsSeen(String sql) {
    assertThat(rules.read(sql).lasting()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "INSERT INTO t VALUES ('; COMMIT')",
        "INSERT INTO t VALUES ('\\'; COMMIT')",
        "UPDATE `commit` SET a = \"; DROP TABLE t\"",
        "SELECT 1 -- ; COMMIT",
        "SELECT 1 # ; COMMIT",
        "SELECT 1 /* ; COMMIT */",
        "LOAD DATA INFILE 'x' INTO TABLE t",
        "DROP TEMPORARY TABLE t",
        "SAVEPOINT a",
        "RELEASE SAVEPOINT a",
        "CALL p()",
        "SET STATEMENT max_statement_time=1 FOR SELECT 1",
        "SELECT 'get_lock(1)'",
      })
  void theRestIsLeftAlone(String sql) {
    assertThat(rules.read(sql)).isEqualTo(TransactionControl.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ROLLBACK TO a", "rollback work to savepoint a"})
  void aRollbackToASavepointIsSeen(String sql) {
    assertThat(rules.read(sql)).isEqualTo(TransactionControl.TO_SAVEPOINT);
  }
}
