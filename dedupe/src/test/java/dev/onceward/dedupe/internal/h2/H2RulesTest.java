package dev.onceward.dedupe.internal.h2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.dedupe.internal.guard.TransactionControl;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class H2RulesTest {
  private final H2Rules rules = new H2Rules();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "commit | COMMIT",
        "COMMIT TRANSACTION x | COMMIT",
        "PREPARE COMMIT x | PREPARE COMMIT",
        "ROLLBACK | ROLLBACK",
        "CREATE TABLE t (a int) | CREATE",
        "// a comment\\n DROP TABLE t | DROP",
        "/* a /* b */ c */ TRUNCATE TABLE t | TRUNCATE",
        "SELECT $$;$$; ANALYZE | ANALYZE",
        "SELECT 'a\\'; SCRIPT | SCRIPT",
      })
  void whatEndsTheTransactionIsSeen(String sql, String command) {
    assertThat(rules.read(sql.replace("\\n", "\n")).ending()).startsWith(command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SET LOCK_TIMEOUT 1", "SET @a = 1", "SET SCHEMA x", "USE x"})
  void whatOutlivesTheTransactionIsSeen(String sql) {
    assertThat(rules.read(sql).lasting()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "MERGE INTO t VALUES ('; COMMIT')",
        "SELECT 1 // ; COMMIT",
        "SELECT $$; COMMIT$$",
        "SAVEPOINT a",
        "SELECT \"; COMMIT\" FROM t",
      })
  void theRestIsLeftAlone(String sql) {
    assertThat(rules.read(sql)).isEqualTo(TransactionControl.NONE);
  }
}
