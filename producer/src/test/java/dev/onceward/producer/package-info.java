@NullMarked
package dev.onceward.producer;

import org.jspecify.annotations.NullMarked;
