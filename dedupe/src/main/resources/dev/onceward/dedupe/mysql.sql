-- The tables of the Onceward inbox, for MySQL 8.0 or newer and MariaDB 10.6 or newer.
-- Run it by hand or by a migration tool in the database the application uses, or let
-- JdbcInbox.createSchema() run it. Running it again changes nothing. An inbox built with
-- tablePrefix(...) uses these names with its own prefix in place of onceward_ .
-- The application's user needs SELECT and INSERT on onceward_handler, onceward_processed_event,
-- onceward_entity_version and onceward_fence, UPDATE on the last two and on onceward_window, SELECT on
-- onceward_window, and DELETE on onceward_processed_event.
-- Names are kept as the bytes of their UTF-8, which compare exactly: CONVERT(name USING utf8mb4) shows them.

-- Handler ids and the short numbers that stand for them. Never delete rows: events would take effect again.
CREATE TABLE IF NOT EXISTS onceward_handler (
  id SMALLINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARBINARY(800) NOT NULL UNIQUE
) ENGINE = InnoDB;

-- One row: how much time a bucket holds, and the oldest bucket whose rows are kept. Never delete it, never lower kept_from.
-- bucket_seconds: change it here, before the script runs for the first time, together with the inbox's bucketWidth.
-- kept_from only grows: what was forgotten once is not taken for new by anybody. raised_at: when it grew, in seconds since 1970.
CREATE TABLE IF NOT EXISTS onceward_window (
  id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
  bucket_seconds INT NOT NULL CHECK (bucket_seconds > 0),
  kept_from INT NOT NULL DEFAULT -2147483647,
  raised_at BIGINT NOT NULL DEFAULT 0
) ENGINE = InnoDB;
INSERT INTO onceward_window (id, bucket_seconds)
  SELECT 1, 86400 FROM DUAL WHERE NOT EXISTS (SELECT id FROM onceward_window);

-- One row for each event that has taken effect in a handler.
-- event_key: first 128 bits of SHA-256 over the byte length of the source as a big-endian int, the source and the event
-- id, both in UTF-8:
--   UNHEX(LEFT(SHA2(CONCAT(UNHEX(LPAD(HEX(LENGTH(source)), 8, '0')), source, id), 256), 32))
-- bucket: the event's own time (that of a UUIDv7 id, else ce_time) in seconds since 1970, divided by bucket_seconds and
-- rounded down; -2147483648 when it has none. The same event always has the same bucket, so each key is there once.
CREATE TABLE IF NOT EXISTS onceward_processed_event (
  bucket INT NOT NULL,
  handler SMALLINT NOT NULL,
  event_key BINARY(16) NOT NULL,
  PRIMARY KEY (bucket, handler, event_key)
) ENGINE = InnoDB;

-- The version of each entity that a handler applied last. Never delete rows: stale events would be applied.
-- entity_key: as event_key, of the scope of the version (the topic) and the entity key.
CREATE TABLE IF NOT EXISTS onceward_entity_version (
  handler SMALLINT NOT NULL,
  entity_key BINARY(16) NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (handler, entity_key)
) ENGINE = InnoDB;

-- Who may commit effects for a partition: the owner that holds the newest epoch. Never delete rows, never lower an epoch.
-- next_offset: the offset after the last one committed by handlers that go by offset. topic_id: which topic of that name.
CREATE TABLE IF NOT EXISTS onceward_fence (
  group_name VARBINARY(2000) NOT NULL,
  topic VARBINARY(1000) NOT NULL,
  partition_id INT NOT NULL,
  epoch BIGINT NOT NULL,
  next_offset BIGINT NULL,
  topic_id VARCHAR(200) NULL,
  PRIMARY KEY (group_name, topic, partition_id)
) ENGINE = InnoDB;
