/** The processes and the database of a chaos run, as its parent process sees them. */
@NullMarked
package dev.outbox.chaos.fleet;

import org.jspecify.annotations.NullMarked;
