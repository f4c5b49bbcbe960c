package dev.onceward.consumer;

/** In which order records without a key are handled. */
public enum KeylessRecords {
  /** One after the other within their partition. */
  IN_PARTITION_ORDER,
  /** In any order, in parallel. */
  UNORDERED
}
