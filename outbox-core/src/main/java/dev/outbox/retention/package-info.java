/** Moves published events to the archive when their time is over. */
@NullMarked
package dev.outbox.retention;

import org.jspecify.annotations.NullMarked;
