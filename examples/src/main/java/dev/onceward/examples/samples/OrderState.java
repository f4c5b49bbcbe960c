package dev.onceward.examples.samples;

/** The whole state of an order, the payload of the samples with a version. */
record OrderState(String orderId, String state) {}
