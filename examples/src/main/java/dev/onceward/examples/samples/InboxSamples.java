package dev.onceward.examples.samples;

import dev.onceward.dedupe.BeyondWindow;
import dev.onceward.dedupe.Fence;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.FencedException;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Pieces of code that the guide to idempotent handlers shows: the inbox without a consumer. */
final class InboxSamples {

  private InboxSamples() {}

  static InboxOutcome once(Inbox inbox, Event event, OrderPlaced order) throws Exception {
    return inbox.process(entry(event), tx -> charge(tx, order));
  }

  static InboxEntry entry(Event event) {
    OffsetDateTime time = event.getTime();
    return InboxEntry.of("billing", event.getSource(), event.getId())
        .withEventTime(time == null ? null : time.toInstant());
  }

  static InboxEntry versions(InboxEntry entry, String orderId, long version) {
    // whole states: the newest wins, older ones are skipped
    InboxEntry latest = entry.withVersion(EntityVersion.latest("orders", orderId, version));

    // changes: each is applied right after the one before it; entities begin with version 1
    InboxEntry next = entry.withVersion(EntityVersion.next("orders", orderId, version));

    // versions that begin with 0; and a handler that joins late and can do without the past
    InboxEntry fromZero = entry.withVersion(EntityVersion.next("orders", orderId, version, 0));
    InboxEntry fromAny = entry.withVersion(EntityVersion.nextFromAny("orders", orderId, version));
    return List.of(latest, next, fromZero, fromAny).get((int) (version % 4));
  }

  static InboxOutcome onOwnRow(Inbox inbox, InboxEntry entry, String orderId, long version)
      throws Exception {
    EntityVersion guard =
        EntityVersion.latest("orders", orderId, version)
            .onRow("order_state", "order_id", "version");
    return inbox.process(
        entry.withVersion(guard),
        tx -> {
          try (PreparedStatement upsert =
              tx.prepareStatement(
                  "INSERT INTO order_state (order_id, version) VALUES (?, ?)"
                      + " ON CONFLICT (order_id) DO UPDATE SET version = excluded.version")) {
            upsert.setString(1, orderId);
            upsert.setLong(2, version); // the handler writes the version
            upsert.executeUpdate();
          }
        });
  }

  static JdbcInbox window(DataSource dataSource) {
    return JdbcInbox.builder(dataSource)
        .window(Duration.ofDays(60))
        .beyondWindow(BeyondWindow.VERSION_GUARD)
        .build();
  }

  static ScheduledFuture<?> maintainHourly(Inbox inbox, ScheduledExecutorService timer) {
    return timer.scheduleWithFixedDelay(
        () -> {
          try {
            inbox.maintain();
          } catch (RuntimeException e) {
            System.err.println(e.getMessage()); // tried again in an hour
          }
        },
        0,
        1,
        TimeUnit.HOURS);
  }

  static List<InboxOutcome> batch(Inbox inbox, List<Event> events, List<OrderPlaced> orders)
      throws Exception {
    List<InboxEntry> entries = events.stream().map(InboxSamples::entry).toList();
    return inbox.processAll(
        entries,
        (tx, fresh) -> {
          for (int position : fresh) {
            charge(tx, orders.get(position));
          }
        });
  }

  static boolean fenced(Inbox inbox, InboxEntry entry, OrderPlaced order) throws Exception {
    // once, when the partition is assigned
    Fence fence = inbox.takeFence(new FenceScope("billing", "orders.order.events", null, 3));

    // for each event
    try {
      inbox.process(entry.withFence(fence), tx -> charge(tx, order));
      return true;
    } catch (FencedException e) {
      return false; // the partition belongs to somebody else; nothing was committed
    }
  }

  static OptionalLong byOffset(Inbox inbox, InboxEntry entry, OrderPlaced order, long offset)
      throws Exception {
    Fence fence = inbox.takeFence(new FenceScope("billing", "orders.order.events", null, 3));
    OptionalLong resumeAt = fence.nextOffset(); // seek there

    inbox.process(entry.atOffset(fence, offset), tx -> charge(tx, order));
    return resumeAt;
  }

  static JdbcInbox tenants(DataSource dataSource) {
    return JdbcInbox.builder(dataSource).boundSettings("app.tenant_id").build();
  }

  static InboxOutcome forTenant(Inbox inbox, InboxEntry entry, String tenant, OrderPlaced order)
      throws Exception {
    return inbox.process(
        entry.withSetting("app.tenant_id", tenant),
        tx -> charge(tx, order)); // row-level security sees current_setting('app.tenant_id')
  }

  private static void charge(Connection tx, OrderPlaced order) throws SQLException {
    try (PreparedStatement insert =
        tx.prepareStatement("INSERT INTO charge (order_id, cents) VALUES (?, ?)")) {
      insert.setString(1, order.orderId());
      insert.setLong(2, order.amountCents());
      insert.executeUpdate();
    }
  }
}
