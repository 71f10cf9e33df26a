/** What an observer may hear of an event's journey; an observer that fails harms nobody. */
@NullMarked
package dev.outbox.observe;

import org.jspecify.annotations.NullMarked;
