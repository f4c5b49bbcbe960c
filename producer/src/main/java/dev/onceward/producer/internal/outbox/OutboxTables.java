package dev.onceward.producer.internal.outbox;

import dev.onceward.dedupe.internal.TableNames;
import org.jspecify.annotations.Nullable;

/**
 * Where the outbox's tables are.
 *
 * @param names schema and prefix
 */
public record OutboxTables(TableNames names) {

  /** The columns of a row of the outbox as they are inserted and moved. */
  static final String COLUMNS =
      "seq, created_at, bucket, id, topic, key, traceparent, headers, payload";

  String outbox() {
    return qualified("outbox");
  }

  String sequence() {
    return qualified("outbox_seq");
  }

  String dead() {
    return qualified("outbox_dead");
  }

  String lease() {
    return qualified("outbox_lease");
  }

  String relay() {
    return qualified("outbox_relay");
  }

  String prefix() {
    return names.prefix();
  }

  @Nullable String schema() {
    return names.schema();
  }

  private String qualified(String name) {
    return names.qualified(names.prefix() + name);
  }
}
