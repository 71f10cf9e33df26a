/** Reads what Spring Modulith's annotations say of events and listeners. Its front door is {@link ExternalizedEvents}; it has no tables. */
@NullMarked
package dev.outbox.modulith.internal;

import org.jspecify.annotations.NullMarked;
