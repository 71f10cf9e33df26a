/** The language that the contexts share: the events that one publishes and others handle, a type per publishing context. */
@NullMarked
package dev.outbox.sample.events;

import org.jspecify.annotations.NullMarked;
