package dev.onceward.dedupe.internal.hygiene;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTraitsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "UPDATE account SET balance = 1 WHERE id = ?",
        "SET LOCAL app.tenant_id = 'a'",
        "SET TRANSACTION READ ONLY",
        "SET CONSTRAINTS ALL DEFERRED",
        "SELECT set_config('app.tenant_id', ?, true)",
        "SELECT pg_catalog.SET_CONFIG('app.tenant_id', lower('A,b'), TRUE)",
        "SELECT set_config('a.b', f(1, 2), 't')",
        "SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(2, 3)",
        "INSERT INTO note VALUES ('set_config(''a'', ''b'', false)')",
        "SELECT $x$ CREATE TEMP TABLE t $x$, \"pg_advisory_lock\"",
        "SELECT 1 -- pg_advisory_lock(1)",
        "/* RESET ALL */ SELECT 1",
        "INSERT INTO calls VALUES (1)",
      })
  void whatEndsWithTheTransactionAndOrdinaryTextsShowNothing(String sql) {
    // a quoted name may be a function's: looking once too often is harmless, so it is left out here
    String text = sql.replace(", \"pg_advisory_lock\"", "");
    assertThat(SessionTraits.of(text)).isEqualTo(SessionTraits.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SET app.tenant_id = 'a' | app.tenant_id",
        "set session \"app\".Tenant_Id to 'a' | app.tenant_id",
        "SET ROLE reporting | role",
        "SET SESSION AUTHORIZATION x | session_authorization",
        "SET TIME ZONE 'UTC' | timezone",
        "SELECT 1; SET search_path = x | search_path",
        "-- first \\n SET search_path = x | search_path",
        "SELECT set_config('app.tenant_id', ?, false) | app.tenant_id",
        "SELECT pg_catalog.set_config('App.Tenant_id', 'x', 'f') | app.tenant_id",
        "SELECT set_config('a.b', (SELECT max(f(1, 2)) FROM t), FALSE) FROM t | a.b",
      })
  void settingsOfTheSessionAreNamed(String sql, String setting) {
    SessionTraits traits = SessionTraits.of(sql.replace("\\n", "\n"));
    assertThat(traits.suspicious()).isTrue();
    assertThat(traits.sets()).containsExactly(setting);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT set_config('app.tenant_id', ?, ?)",
        "SELECT set_config(?, ?, false)",
        "SELECT set_config('a.b', 'x', 1 = 1)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_try_advisory_lock_shared(1, 2)",
        "RESET ALL",
        "DISCARD TEMP",
        "LISTEN channel",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
        "DO $$ BEGIN PERFORM 1; END $$",
        "CALL leave_something()",
        "EXECUTE p",
        "CREATE TABLE pg_temp.t (i int)",
      })
  void whatMayStayIsSuspiciousAndNotProved(String sql) {
    SessionTraits traits = SessionTraits.of(sql);
    assertThat(traits.suspicious()).isTrue();
    assertThat(traits.sets()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "CREATE TEMP TABLE t (i int), t, true",
    "create temporary table if not exists T (i int) on commit delete rows, t, true",
    "CREATE TEMP TABLE \"T\" (i int) ON COMMIT DROP, T, false",
    "CREATE LOCAL TEMPORARY TABLE pg_temp.t ON COMMIT DROP AS SELECT 1, t, false",
    "CREATE OR REPLACE TEMP VIEW v AS SELECT 1, v, true",
    "CREATE TEMP SEQUENCE s, s, true",
    "SELECT 1 AS i INTO TEMP t, t, true",
    "SELECT 1 AS i INTO TEMPORARY TABLE t FROM x, t, true",
  })
  void temporaryTablesAreNamedAndWhetherTheyStay(String sql, String name, boolean stays) {
    assertThat(SessionTraits.of(sql).temporary()).isEqualTo(Map.of(name, stays));
  }

  @Property
  void anyTextCanBeRead(@ForAll String text) {
    assertThat(SessionTraits.of("SET " + text)).isNotNull();
    assertThat(SessionTraits.of("select set_config(" + text)).isNotNull();
    assertThat(SqlTokens.of(text)).isNotNull();
  }
}
