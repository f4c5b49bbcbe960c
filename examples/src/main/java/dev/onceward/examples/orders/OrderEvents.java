package dev.onceward.examples.orders;

/** The events of an order; version 1 is placed, and each later event has the next version. */
final class OrderEvents {

  static final String TOPIC = "orders.order.events";

  static final String PLACED = "com.acme.orders.placed.v1";
  static final String PAID = "com.acme.orders.paid.v1";
  static final String CANCELLED = "com.acme.orders.cancelled.v1";

  private OrderEvents() {}

  /** An order was placed. */
  record OrderPlaced(String orderId, String customer, long amountCents) {}

  /** An order was paid. */
  record OrderPaid(String orderId, long amountCents) {}

  /** An order was cancelled, and its amount is paid back. */
  record OrderCancelled(String orderId, String reason, long amountCents) {}
}
