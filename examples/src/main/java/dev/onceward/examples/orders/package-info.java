/** Orders are placed, paid and cancelled; billing keeps a ledger, shipping keeps state. */
@NullMarked
package dev.onceward.examples.orders;

import org.jspecify.annotations.NullMarked;
