-- The tables of the Onceward outbox, for PostgreSQL 14 or newer.
-- Run it by hand or by a migration tool in the schema the application uses, or let
-- OutboxAdmin.createSchema() run it. Running it again changes nothing. An outbox built with
-- tablePrefix(...) uses these names with its own prefix in place of onceward_ .
-- A role that only appends needs INSERT on onceward_outbox and USAGE on onceward_outbox_seq (and,
-- for change data capture, SELECT and DELETE on onceward_outbox). The relay's role needs SELECT,
-- INSERT, UPDATE and DELETE on all four tables, and SELECT on onceward_outbox_seq.

-- CACHE must stay 1. With a larger cache each session hands out numbers of its own block, and the
-- events of an entity that two sessions write would be sent in the wrong order.
CREATE SEQUENCE IF NOT EXISTS onceward_outbox_seq AS bigint CACHE 1;

-- One row for each event that was not sent yet; the relay deletes it when the brokers have
-- acknowledged the event. bucket: murmur2 of the key (the hash of Kafka's own partitioner) modulo
-- 64. headers: as they go on the wire, but traceparent. No status and no updates: the first
-- rows of a bucket are what is to be sent next.
CREATE TABLE IF NOT EXISTS onceward_outbox (
  seq bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  bucket smallint NOT NULL CHECK (bucket BETWEEN 0 AND 63),
  id text NOT NULL,
  topic text NOT NULL,
  key bytea,
  traceparent text NOT NULL,
  headers bytea NOT NULL,
  payload bytea,
  PRIMARY KEY (bucket, seq)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000
);
COMMENT ON TABLE onceward_outbox IS
  'Events to be sent. Rows go when the brokers have acknowledged them; do not delete or change them by hand.';

-- Rows live for moments: not worth the time to compress them.
ALTER TABLE onceward_outbox ALTER COLUMN payload SET STORAGE EXTERNAL;

ALTER SEQUENCE onceward_outbox_seq OWNED BY onceward_outbox.seq;

-- Events that cannot be sent (with a reason), and the later events of their keys that wait behind
-- them (without one).
CREATE TABLE IF NOT EXISTS onceward_outbox_dead (
  seq bigint NOT NULL,
  created_at timestamptz NOT NULL,
  bucket smallint NOT NULL,
  id text NOT NULL,
  topic text NOT NULL,
  key bytea,
  traceparent text NOT NULL,
  headers bytea NOT NULL,
  payload bytea,
  reason text,
  detail text,
  moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (bucket, seq)
);
COMMENT ON TABLE onceward_outbox_dead IS
  'Events that could not be sent, and those behind them. Use OutboxAdmin to release or discard them.';
ALTER TABLE onceward_outbox_dead ALTER COLUMN payload SET STORAGE EXTERNAL;

-- Who sends which rows: a shard is the buckets with the same remainder modulo 16. epoch grows with
-- each new owner. revision grows when dead rows go back, so that the owner reads from the start.
CREATE TABLE IF NOT EXISTS onceward_outbox_lease (
  shard smallint PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0,
  owner uuid,
  expires_at timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE onceward_outbox_lease IS 'Which relay sends which rows of the outbox.';

INSERT INTO onceward_outbox_lease (shard)
  SELECT shard FROM generate_series(0, 15) AS shard ON CONFLICT DO NOTHING;

-- The relays that run, each of which takes its fair share of the shards.
CREATE TABLE IF NOT EXISTS onceward_outbox_relay (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE onceward_outbox_relay IS 'The relays of the outbox that run.';
