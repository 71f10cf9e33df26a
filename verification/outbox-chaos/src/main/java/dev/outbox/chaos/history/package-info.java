/** Facts that the processes of a chaos run append to files, and the history that results from them. */
@NullMarked
package dev.outbox.chaos.history;

import org.jspecify.annotations.NullMarked;
