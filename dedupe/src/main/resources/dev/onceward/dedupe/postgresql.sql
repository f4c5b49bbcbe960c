-- The tables of the Onceward inbox, for PostgreSQL 14 or newer.
-- Run it by hand or by a migration tool in the schema the application uses, or let
-- JdbcInbox.createSchema() run it. Running it again changes nothing. An inbox built with
-- tablePrefix(...) uses these names with its own prefix in place of onceward_ .
-- The application's role needs SELECT and INSERT on onceward_handler, onceward_processed_event,
-- onceward_entity_version and onceward_fence, UPDATE on the last two and on onceward_window, SELECT on
-- onceward_window, and DELETE on onceward_processed_event. When it owns the tables, maintain() keeps the
-- partitions too; else it deletes rows, and says so.

CREATE TABLE IF NOT EXISTS onceward_handler (
  id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
COMMENT ON TABLE onceward_handler IS
  'Handler ids and the short numbers that stand for them. Never delete rows: events would take effect again.';

-- bucket_seconds: change it here, before the script runs for the first time, together with the inbox's bucketWidth.
-- kept_from only grows: what was forgotten once is not taken for new by anybody.
CREATE TABLE IF NOT EXISTS onceward_window (
  id smallint PRIMARY KEY CHECK (id = 1),
  bucket_seconds int NOT NULL CHECK (bucket_seconds > 0),
  kept_from int NOT NULL DEFAULT -2147483647,
  raised_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE onceward_window IS
  'One row: how much time a bucket holds, and the oldest bucket whose rows are kept. Never delete it, never lower kept_from.';
INSERT INTO onceward_window (id, bucket_seconds) VALUES (1, 86400) ON CONFLICT DO NOTHING;

-- event_key: first 128 bits of SHA-256 over the byte length of the source as a big-endian int, the source
-- and the event id, both in UTF-8:
--   encode(substr(sha256(int4send(octet_length(convert_to(source, 'UTF8'))) || convert_to(source, 'UTF8')
--     || convert_to(id, 'UTF8')), 1, 16), 'hex')::uuid
-- bucket: the event's own time (that of a UUIDv7 id, else ce_time) in seconds since 1970, divided by bucket_seconds and
-- rounded down; -2147483648 when it has none. The same event always has the same bucket, so each key is there once.
CREATE TABLE IF NOT EXISTS onceward_processed_event (
  event_key uuid NOT NULL,
  bucket int NOT NULL,
  handler smallint NOT NULL,
  PRIMARY KEY (bucket, handler, event_key)
) PARTITION BY RANGE (bucket);
COMMENT ON TABLE onceward_processed_event IS
  'One row for each event that has taken effect in a handler. JdbcInbox.maintain() makes and drops its partitions.';

-- Rows for which no partition was made in time.
CREATE TABLE IF NOT EXISTS onceward_processed_event_default PARTITION OF onceward_processed_event DEFAULT;

-- Events without a time: they have no age, and their rows are kept.
CREATE TABLE IF NOT EXISTS onceward_processed_event_undated PARTITION OF onceward_processed_event
  FOR VALUES FROM (MINVALUE) TO (-2147483647);

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

-- next_offset: the offset after the last one committed by handlers that go by offset. topic_id: which topic of that name.
CREATE TABLE IF NOT EXISTS onceward_fence (
  epoch bigint NOT NULL,
  next_offset bigint,
  partition_id int NOT NULL,
  group_name text NOT NULL,
  topic text NOT NULL,
  topic_id text,
  PRIMARY KEY (group_name, topic, partition_id)
) WITH (fillfactor = 50);
COMMENT ON TABLE onceward_fence IS
  'Who may commit effects for a partition: the owner that holds the newest epoch. Never delete rows, never lower an epoch.';
