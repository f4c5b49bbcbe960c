/** What is special about MySQL and MariaDB; not API. */
@NullMarked
package dev.onceward.dedupe.internal.mysql;

import org.jspecify.annotations.NullMarked;
