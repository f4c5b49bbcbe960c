package dev.onceward.examples.samples;

/** The payload of the samples. */
record OrderPlaced(String orderId, long amountCents) {}
