/** Stores Spring events of classes that are marked {@link dev.outbox.Outboxed}. */
@NullMarked
package dev.outbox.spring.autoconfigure.events;

import org.jspecify.annotations.NullMarked;
