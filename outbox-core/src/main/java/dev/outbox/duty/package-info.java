/** A background thread that repeats one step until it is closed, and never dies of a failure. */
@NullMarked
package dev.outbox.duty;

import org.jspecify.annotations.NullMarked;
