/** The rules that the history of a chaos run must follow, one class each. */
@NullMarked
package dev.outbox.chaos.check;

import org.jspecify.annotations.NullMarked;
