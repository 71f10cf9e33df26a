/** Observes publishing and handling, and continues the trace of the publisher in the handler. */
@NullMarked
package dev.outbox.spring.autoconfigure.tracing;

import org.jspecify.annotations.NullMarked;
