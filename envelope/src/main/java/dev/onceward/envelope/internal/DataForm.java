package dev.onceward.envelope.internal;

/** How the data is expressed in structured mode. */
enum DataForm {
  /** Choose by content type and bytes. */
  AUTO,
  /** The bytes are JSON text: the {@code data} member as it is. */
  JSON,
  /** The bytes are text: {@code data} is a JSON string. */
  TEXT,
  /** {@code data_base64}. */
  BASE64
}
