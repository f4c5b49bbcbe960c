package dev.onceward.dedupe.hygiene;

import dev.onceward.dedupe.TestDatabase;
import java.sql.SQLException;

/** Functions that leave state, which shows in no text that a handler sends. */
final class Leaks {
  static final String TENANT = "app.tenant_id";

  private Leaks() {}

  static void createFunctions(TestDatabase database) throws SQLException {
    database.execute(
        "DO $$ BEGIN CREATE ROLE reporting; EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
            + "CREATE FUNCTION become(t text) RETURNS text LANGUAGE sql AS"
            + " $$ SELECT set_config('app.tenant_id', t, false) $$;"
            + "CREATE FUNCTION lend(t text) RETURNS text LANGUAGE sql AS"
            + " $$ SELECT set_config('app.tenant_id', t, true) $$;"
            + "CREATE FUNCTION report() RETURNS void LANGUAGE plpgsql AS"
            + " $$ BEGIN SET ROLE reporting; END $$;"
            + "CREATE FUNCTION shift() RETURNS text LANGUAGE sql AS"
            + " $$ SELECT set_config('TimeZone', 'Asia/Tokyo', false) $$;"
            + "CREATE FUNCTION hear() RETURNS void LANGUAGE plpgsql AS"
            + " $$ BEGIN EXECUTE 'LISTEN news'; END $$;"
            + "CREATE FUNCTION hold() RETURNS void LANGUAGE sql AS"
            + " $$ SELECT pg_advisory_lock(42) $$;"
            + "CREATE FUNCTION pile() RETURNS void LANGUAGE plpgsql AS"
            + " $$ BEGIN CREATE TEMP TABLE heap (i int); END $$;"
            + "CREATE FUNCTION drop_pile() RETURNS void LANGUAGE plpgsql AS"
            + " $$ BEGIN CREATE TEMP TABLE heap (i serial) ON COMMIT DROP; END $$;"
            + "CREATE FUNCTION keep() RETURNS void LANGUAGE plpgsql AS"
            + " $$ BEGIN EXECUTE 'DECLARE kept CURSOR WITH HOLD FOR SELECT 1'; END $$");
  }
}
