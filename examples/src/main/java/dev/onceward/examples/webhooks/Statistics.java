package dev.onceward.examples.webhooks;

import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.envelope.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Counts deliveries per key and type; each event counts once, however often it is published. */
@EventHandlers(id = "webhook-statistics", topics = Statistics.TOPIC)
final class Statistics {

  static final String TOPIC = "github.webhook.events";

  private static final String COUNT =
      """
      INSERT INTO webhook_statistics (entity_key, event_type, deliveries) VALUES (?, ?, 1)
      ON CONFLICT (entity_key, event_type)
      DO UPDATE SET deliveries = webhook_statistics.deliveries + 1, last_seen = clock_timestamp()
      """;

  @Handles("com.github.*")
  @Idempotent
  void count(Event event, Connection tx) throws SQLException {
    try (PreparedStatement count = tx.prepareStatement(COUNT)) {
      count.setString(1, event.entityKey().orElseThrow());
      count.setString(2, event.getType());
      count.executeUpdate();
    }
  }
}
