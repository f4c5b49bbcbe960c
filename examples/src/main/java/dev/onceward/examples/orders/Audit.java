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
  private final Map<String, Long> shipped = new HashMap<>();
  private final Map<String, Long> versions = new HashMap<>();
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

  private record Booking(String orderId, String kind, long cents) {}

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
    if (version > versions.getOrDefault(booking.orderId(), 0L)) {
      versions.put(booking.orderId(), version);
      shipped.put(id, version);
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

  /** Holds the tables against what they must be. */
  void compare(DataSource database) throws SQLException {
    compareLedger(database);
    compareJournal(database);
    compareShipments(database);
  }

  private void compareLedger(DataSource database) throws SQLException {
    Map<String, Integer> counts = new HashMap<>();
    Sql.query(
        database,
        "SELECT event_id, order_id, kind, amount_cents FROM ledger",
        row -> {
          String id = row.getString(1);
          Booking found = new Booking(row.getString(2), row.getString(3), row.getLong(4));
          if (!found.equals(bookings.get(id))) {
            findings.add("ledger: event " + id + " is booked as " + found);
          }
          return counts.merge(id, 1, Integer::sum);
        });
    count("ledger", counts, bookings.keySet());
  }

  private void compareJournal(DataSource database) throws SQLException {
    Map<String, Integer> counts = new HashMap<>();
    Sql.query(
        database,
        "SELECT event_id, version FROM shipment_journal",
        row -> {
          String id = row.getString(1);
          Long wanted = shipped.get(id);
          if (wanted == null || wanted != row.getLong(2)) {
            findings.add("shipments: event " + id + " must not have changed a shipment");
          }
          return counts.merge(id, 1, Integer::sum);
        });
    count("shipments", counts, shipped.keySet());
  }

  private void compareShipments(DataSource database) throws SQLException {
    Map<String, Long> found = new HashMap<>();
    Sql.query(
        database,
        "SELECT order_id, version FROM shipment",
        row -> found.put(row.getString(1), row.getLong(2)));
    versions.forEach(
        (order, version) -> {
          if (!version.equals(found.get(order))) {
            findings.add("shipment of " + order + " is at version " + found.get(order));
          }
        });
    if (found.size() != versions.size()) {
      findings.add("there are " + found.size() + " shipments instead of " + versions.size());
    }
  }

  private void count(String table, Map<String, Integer> counts, Set<String> wanted) {
    for (String id : wanted) {
      int times = counts.getOrDefault(id, 0);
      if (times == 0) {
        lost++;
        findings.add(table + ": event " + id + " is missing");
      } else {
        applied++;
        if (times > 1) {
          doubled += times - 1;
          findings.add(table + ": event " + id + " took effect " + times + " times");
        }
      }
    }
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
    return (long) bookings.size() + shipped.size();
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
