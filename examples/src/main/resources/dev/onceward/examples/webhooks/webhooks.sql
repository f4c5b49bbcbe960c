CREATE TABLE IF NOT EXISTS webhook_statistics (
  entity_key text        NOT NULL,
  event_type text        NOT NULL,
  deliveries bigint      NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (entity_key, event_type)
);
