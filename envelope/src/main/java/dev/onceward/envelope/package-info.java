/** Events on the CloudEvents type: Kafka binding, payload mapping, naming and size policies. */
@NullMarked
package dev.onceward.envelope;

import org.jspecify.annotations.NullMarked;
