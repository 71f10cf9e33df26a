/** The event bus as a port for domain code. */
@NullMarked
package dev.outbox.sample.eventbus;

import org.jspecify.annotations.NullMarked;
