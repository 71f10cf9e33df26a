/** Observations of publishing and handling events, and the conventions that name them. */
@NullMarked
package dev.outbox.spring.tracing;

import org.jspecify.annotations.NullMarked;
