-- No unique keys on event ids: an event that took effect twice would show.
CREATE TABLE IF NOT EXISTS ledger (
  event_id     text        NOT NULL,
  order_id     text        NOT NULL,
  kind         text        NOT NULL,
  amount_cents bigint      NOT NULL,
  published_at timestamptz NOT NULL,
  applied_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS shipment (
  order_id text   PRIMARY KEY,
  version  bigint NOT NULL,
  state    text   NOT NULL
);

CREATE TABLE IF NOT EXISTS shipment_journal (
  event_id     text        NOT NULL,
  order_id     text        NOT NULL,
  version      bigint      NOT NULL,
  published_at timestamptz NOT NULL,
  applied_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
