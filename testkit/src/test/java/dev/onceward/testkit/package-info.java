@NullMarked
package dev.onceward.testkit;

import org.jspecify.annotations.NullMarked;
