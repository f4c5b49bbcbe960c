/**
 * Not API. {@link dev.onceward.producer.internal.RecordSender}, {@link
 * dev.onceward.producer.internal.KafkaProperties} and {@link
 * dev.onceward.producer.internal.KafkaAdvice} serve the rooms above as well.
 */
@NullMarked
package dev.onceward.producer.internal;

import org.jspecify.annotations.NullMarked;
