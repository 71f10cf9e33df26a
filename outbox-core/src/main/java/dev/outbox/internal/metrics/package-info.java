/** Micrometer meters of the outbox; the only package that needs Micrometer. */
@NullMarked
package dev.outbox.internal.metrics;

import org.jspecify.annotations.NullMarked;
