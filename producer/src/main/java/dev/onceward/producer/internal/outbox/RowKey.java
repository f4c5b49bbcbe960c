package dev.onceward.producer.internal.outbox;

import dev.onceward.tracing.KeyHash;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What keeps rows in order: a topic and a key. */
final class RowKey {
  private final String topic;
  private final byte[] key;
  private final int hash;

  RowKey(String topic, byte[] key) {
    this.topic = topic;
    this.key = key;
    this.hash = 31 * topic.hashCode() + Arrays.hashCode(key);
  }

  String topic() {
    return topic;
  }

  byte[] key() {
    return key;
  }

  /** The hash of the key that may be logged. */
  String hash() {
    return KeyHash.of(key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RowKey that
        && hash == that.hash
        && topic.equals(that.topic)
        && Arrays.equals(key, that.key);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
