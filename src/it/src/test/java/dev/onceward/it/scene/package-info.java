/** What the broker-backed tests share: topics, groups, events, ledgers, child processes. */
@NullMarked
package dev.onceward.it.scene;

import org.jspecify.annotations.NullMarked;
