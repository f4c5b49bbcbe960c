package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** NEXT, and the guard on the handler's own row. */
class VersionModesTest extends VersionModesContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  VersionModesTest() {
    super(DATABASE);
  }

  @ParameterizedTest
  @CsvSource({
    "text, k1",
    "varchar(40), k1",
    "char(8), k1",
    "bigint, 42",
    "int, 42",
    "numeric, 42",
    "uuid, 5f0c7ed4-6c5c-4c1a-9d36-0d2f6b0a7c11"
  })
  void theKeyIsComparedInTheColumnsOwnTypeWithItsIndex(String type, String key) throws Exception {
    DATABASE.execute(
        "DROP TABLE IF EXISTS typed; CREATE TABLE typed (id "
            + type
            + " PRIMARY KEY, v int, filler text)");
    DATABASE.execute("INSERT INTO typed VALUES ('" + key + "', 7, repeat('x', 100))");
    if (type.equals("bigint")) {
      DATABASE.execute(
          "INSERT INTO typed SELECT i, 1, repeat('x', 100) FROM generate_series(1000, 20000) i;"
              + "ANALYZE typed");
    }
    EntityVersion stale = EntityVersion.latest("", key, 7).onRow("typed", "id", "v");
    EntityVersion newer = EntityVersion.latest("", key, 8).onRow("typed", "id", "v");

    assertThat(process("stale", stale)).isEqualTo(STALE);
    assertThat(process("newer", newer)).isEqualTo(APPLIED);
    assertThat(
            inbox.processAll(
                List.of(event("s2").withVersion(stale), event("n2").withVersion(newer)),
                (tx, fresh) -> {}))
        .containsExactly(STALE, APPLIED);
    if (type.equals("bigint")) {
      String scans =
          "SELECT seq_scan || ' ' || (idx_scan > 3) FROM pg_stat_user_tables WHERE relname = 'typed'";
      long before =
          DATABASE.number("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'typed'");
      for (int i = 0; i < 4; i++) {
        process("again" + i, stale);
        inbox.processAll(
            List.of(event("b" + i).withVersion(stale), event("c" + i).withVersion(stale)),
            (tx, fresh) -> {});
      }
      await().until(() -> DATABASE.text(scans).endsWith("true"));
      assertThat(DATABASE.text(scans)).startsWith(before + " ");
    }
  }

  @Test
  void namesThatAreNotIdentifiersAreRefused() {
    EntityVersion version = EntityVersion.latest("", "k", 1);
    for (String name : List.of("", "a b", "a;--", "a\"b", "x.y.z", "1a", "a".repeat(64))) {
      assertThatThrownBy(() -> version.onRow(name, "id", "v")).hasMessageContaining("table");
      assertThatThrownBy(() -> version.onRow("t", name, "v")).hasMessageContaining("keyColumn");
      assertThatThrownBy(() -> version.onRow("t", "id", name))
          .hasMessageContaining("versionColumn");
    }
  }
}
