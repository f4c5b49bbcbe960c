-- The tables of the Onceward inbox, for PostgreSQL 14 or newer.
-- Run it by hand or by a migration tool in the schema the application uses, or let
-- JdbcInbox.createSchema() run it. Running it again changes nothing. An inbox built with
-- tablePrefix(...) uses these names with its own prefix in place of onceward_ .
-- The application's role needs SELECT and INSERT on all three tables, UPDATE on
-- onceward_entity_version, and DELETE on onceward_processed_event where it calls prune().

CREATE TABLE IF NOT EXISTS onceward_handler (
  id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
COMMENT ON TABLE onceward_handler IS
  'Handler ids and the short numbers that stand for them. Never delete rows: events would take effect again.';

-- event_key: first 128 bits of SHA-256 over the byte length of the source as a big-endian int, the source
-- and the event id, both in UTF-8:
--   encode(substr(sha256(int4send(octet_length(convert_to(source, 'UTF8'))) || convert_to(source, 'UTF8')
--     || convert_to(id, 'UTF8')), 1, 16), 'hex')::uuid
CREATE TABLE IF NOT EXISTS onceward_processed_event (
  event_key uuid NOT NULL,
  processed_at timestamptz NOT NULL DEFAULT now(),
  handler smallint NOT NULL,
  PRIMARY KEY (handler, event_key)
);
COMMENT ON TABLE onceward_processed_event IS
  'One row for each event that has taken effect in a handler. Delete old rows with JdbcInbox.prune().';

-- A few kilobytes instead of a second big index: rows arrive in the order of their time.
CREATE INDEX IF NOT EXISTS onceward_processed_event_time
  ON onceward_processed_event USING brin (processed_at) WITH (autosummarize = on);

-- entity_key: as event_key, of the scope of the version (the topic) and the entity key. The free space lets
-- updates stay on their page and out of the index.
CREATE TABLE IF NOT EXISTS onceward_entity_version (
  entity_key uuid NOT NULL,
  version bigint NOT NULL,
  handler smallint NOT NULL,
  PRIMARY KEY (handler, entity_key)
) WITH (fillfactor = 80);
COMMENT ON TABLE onceward_entity_version IS
  'The version of each entity that a handler applied last. Never delete rows: stale events would be applied.';
