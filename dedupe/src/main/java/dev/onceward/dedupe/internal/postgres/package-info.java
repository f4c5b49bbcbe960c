/** PostgreSQL: the statements, the schema and the driver; not API. */
@NullMarked
package dev.onceward.dedupe.internal.postgres;

import org.jspecify.annotations.NullMarked;
