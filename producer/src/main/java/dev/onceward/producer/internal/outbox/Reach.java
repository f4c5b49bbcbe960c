package dev.onceward.producer.internal.outbox;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How far a read has come in each bucket. */
final class Reach {

  private static final class Part {
    private int rows;
    private long bytes;
    private long last;

    boolean isCut(int room, long budget) {
      return rows >= room || bytes >= budget;
    }
  }

  private final ReadRequest request;
  private final ReadResult result;
  private final Map<Integer, Integer> places = new HashMap<>();
  private final Map<Integer, Part> late;
  private final Map<Integer, Part> ahead;

  Reach(ReadRequest request, ReadResult result) {
    this.request = request;
    this.result = result;
    for (int i = 0; i < request.buckets().length; i++) {
      places.put((int) request.buckets()[i], i);
    }
    this.late = parts(result.late());
    this.ahead = parts(result.ahead());
  }

  private static Map<Integer, Part> parts(List<Row> rows) {
    Map<Integer, Part> parts = new HashMap<>();
    for (Row row : rows) {
      Part part = parts.computeIfAbsent(row.bucket, any -> new Part());
      part.rows++;
      part.bytes += row.size - Reader.ROW_OVERHEAD;
      part.last = Math.max(part.last, row.seq);
    }
    return parts;
  }

  /** Whether the bucket was read, and what was read fits what is in memory by now. */
  boolean isCurrent(BucketState bucket) {
    Integer place = places.get(bucket.number);
    return place != null
        && result.buckets().contains(bucket.number)
        && request.states()[place] == bucket
        && request.forgotten()[place] == bucket.forgotten;
  }

  /** Whether there are more late rows than were read. */
  boolean isLateCut(BucketState bucket) {
    return isCut(late, bucket.number, Reader.MAX_LATE);
  }

  /** Up to where every row of the bucket is either gone or was seen; of a current bucket. */
  long settled(BucketState bucket) {
    Integer place = places.get(bucket.number);
    if (place == null || isLateCut(bucket)) {
      return 0;
    }
    Part part = ahead.get(bucket.number);
    return part != null && part.isCut(request.rooms()[place], request.bytes())
        ? Math.min(result.settled(), part.last)
        : result.settled();
  }

  /** Whether a part ended at a limit. */
  boolean hasMore() {
    return places.entrySet().stream()
        .anyMatch(
            each ->
                isCut(late, each.getKey(), Reader.MAX_LATE)
                    || isCut(ahead, each.getKey(), request.rooms()[each.getValue()]));
  }

  private boolean isCut(Map<Integer, Part> parts, int bucket, int room) {
    Part part = parts.get(bucket);
    return part != null && part.isCut(room, request.bytes());
  }
}
