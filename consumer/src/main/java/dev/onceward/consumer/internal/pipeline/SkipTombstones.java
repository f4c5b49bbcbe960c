package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.envelope.EventHeaders;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Skips delete markers of compacted topics: no value and no event around it. A record without a
 * value that has the headers of an event is an event without data and goes on.
 */
final class SkipTombstones implements Interceptor {

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    ConsumerRecord<byte[], byte[]> record = chain.delivery().record();
    boolean tombstone =
        record.value() == null && record.headers().lastHeader(EventHeaders.SPECVERSION) == null;
    return tombstone ? Outcome.TOMBSTONE : chain.proceed(chain.delivery());
  }
}
