/** The inbox in SQL that MySQL, MariaDB and H2 share; not API. */
@NullMarked
package dev.onceward.dedupe.internal.portable;

import org.jspecify.annotations.NullMarked;
