package dev.onceward.examples.orders;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.examples.Sql;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What the tables must hold, worked out from the topic alone by a plain loop that shares no code
 * with the toolkit, and how far what they do hold is from that.
 */
final class Audit {

  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Booking> bookings = new HashMap<>();
  private final Map<String, Change> changes = new HashMap<>();
  private final Map<String, Shipment> shipments = new HashMap<>();
  private final Set<String> poison = new HashSet<>();
  private final List<String> findings = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private long records;
  private long duplicates;
  private long stale;
  private long applied;
  private long lost;
  private long doubled;
  private long deadLettered;

  /** What an event must have put into the ledger. */
  private record Booking(String orderId, String kind, long cents) {}

  /** What an event must have put into the journal of shipments. */
  private record Change(String orderId, long version) {}

  /** What is left of an order's events. */
  private record Shipment(long version, String state) {}

  /** One record, in the order of its partition. */
  void record(ConsumerRecord<byte[], byte[]> record) {
    records++;
    String id = header(record, "ce_id");
    String type = header(record, "ce_type");
    Booking booking = id == null || type == null ? null : booking(type, record.value());
    if (id == null || booking == null) {
      poison.add(place(record.partition(), record.offset()));
      return;
    }
    if (!seen.add(id)) {
      // once in the ledger, once in the shipments
      duplicates += 2;
      return;
    }
    bookings.put(id, booking);
    long version = Long.parseLong(String.valueOf(header(record, "ce_entityversion")));
    Shipment before = shipments.get(booking.orderId());
    if (before == null || version > before.version()) {
      changes.put(id, new Change(booking.orderId(), version));
      shipments.put(booking.orderId(), new Shipment(version, state(booking)));
    } else {
      stale++;
    }
  }

  private @Nullable Booking booking(String type, byte[] value) {
    try {
      JsonNode data = json.readTree(value);
      String order = data.path("orderId").asText();
      long cents = data.path("amountCents").asLong();
      if (type.equals("com.acme.orders.placed.v1")) {
        return cents < 0 ? null : new Booking(order, "CHARGE", cents);
      }
      String kind = type.equals("com.acme.orders.paid.v1") ? "PAYMENT" : "REFUND";
      return new Booking(order, kind, -cents);
    } catch (IOException e) {
      return null;
    }
  }

  private static String state(Booking booking) {
    return switch (booking.kind()) {
      case "CHARGE" -> "WAITING";
      case "PAYMENT" -> "TO_SHIP";
      default -> "CALLED_OFF";
    };
  }

  /** Holds the tables against what they must be. */
  void compare(DataSource database) throws SQLException {
    compareEffects(
        "ledger",
        bookings,
        Sql.query(
            database,
            "SELECT event_id, order_id, kind, amount_cents FROM ledger",
            row ->
                Map.entry(
                    row.getString(1),
                    new Booking(row.getString(2), row.getString(3), row.getLong(4)))));
    compareEffects(
        "shipment_journal",
        changes,
        Sql.query(
            database,
            "SELECT event_id, order_id, version FROM shipment_journal",
            row -> Map.entry(row.getString(1), new Change(row.getString(2), row.getLong(3)))));
    compareShipments(database);
  }

  /** Each effect there must be is there once, is what it must be, and there is no other. */
  private <T> void compareEffects(
      String table, Map<String, T> wanted, List<Map.Entry<String, T>> rows) {
    Map<String, Integer> counts = new HashMap<>();
    for (Map.Entry<String, T> row : rows) {
      T effect = wanted.get(row.getKey());
      if (effect == null) {
        doubled++;
        findings.add(table + ": event " + row.getKey() + " must have no effect");
      } else if (!effect.equals(row.getValue())) {
        findings.add(
            table + ": event " + row.getKey() + " is " + row.getValue() + ", not " + effect);
      } else {
        counts.merge(row.getKey(), 1, Integer::sum);
      }
    }
    for (String id : wanted.keySet()) {
      count(table, id, counts.getOrDefault(id, 0));
    }
  }

  private void count(String table, String id, int times) {
    if (times == 0) {
      lost++;
      findings.add(table + ": the effect of event " + id + " is missing");
      return;
    }
    applied++;
    if (times > 1) {
      doubled += times - 1;
      findings.add(table + ": event " + id + " took effect " + times + " times");
    }
  }

  private void compareShipments(DataSource database) throws SQLException {
    Map<String, Shipment> found = new HashMap<>();
    Sql.query(
        database,
        "SELECT order_id, version, state FROM shipment",
        row -> found.put(row.getString(1), new Shipment(row.getLong(2), row.getString(3))));
    shipments.forEach(
        (order, wanted) -> {
          if (!wanted.equals(found.get(order))) {
            findings.add(
                "shipment: order " + order + " is " + found.get(order) + ", not " + wanted);
          }
        });
    found.keySet().stream()
        .filter(order -> !shipments.containsKey(order))
        .forEach(order -> findings.add("shipment: order " + order + " must not be there"));
  }

  /** Holds the dead letters of a group against the poison. */
  void compareDeadLetters(String group, List<ConsumerRecord<byte[], byte[]>> letters) {
    Set<String> found = new HashSet<>();
    for (ConsumerRecord<byte[], byte[]> letter : letters) {
      String place =
          header(letter, "__dlq.errors.partition") + "@" + header(letter, "__dlq.errors.offset");
      if (!poison.contains(place)) {
        findings.add(group + ": record " + place + " is dead-lettered and is no poison");
      }
      found.add(place);
    }
    for (String place : poison) {
      if (found.contains(place)) {
        deadLettered++;
      } else {
        lost++;
        findings.add(group + ": poison record " + place + " is not dead-lettered");
      }
    }
  }

  private static String place(int partition, long offset) {
    return partition + "@" + offset;
  }

  private static @Nullable String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
  }

  long records() {
    return records;
  }

  /** Effects there must be: bookings and changes of shipments. */
  long expected() {
    return (long) bookings.size() + changes.size();
  }

  long applied() {
    return applied;
  }

  long duplicates() {
    return duplicates;
  }

  long stale() {
    return stale;
  }

  long deadLettered() {
    return deadLettered;
  }

  long lost() {
    return lost;
  }

  long doubled() {
    return doubled;
  }

  /** What is wrong, a line each. */
  List<String> findings() {
    return findings;
  }
}
