/** The event bus on the outbox of this service's own database. */
@NullMarked
package dev.outbox.sample.eventbus.outbox;

import org.jspecify.annotations.NullMarked;
