/** The event bus as domain code sees it: a port, whatever stands behind it. */
@NullMarked
package dev.outbox.sample.eventbus;

import org.jspecify.annotations.NullMarked;
