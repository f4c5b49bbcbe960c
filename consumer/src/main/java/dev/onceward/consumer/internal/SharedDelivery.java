package dev.onceward.consumer.internal;

import dev.onceward.consumer.Delivery;

/**
 * A delivery that may be handled together with others.
 *
 * @param lane what the deliveries that must keep their order have in common
 */
public record SharedDelivery(Delivery delivery, Object lane) {}
