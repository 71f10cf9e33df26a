/** Registers the meters of the outbox with the application's meter registry. */
@NullMarked
package dev.outbox.spring.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
