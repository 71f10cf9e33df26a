/** Grants a guild what it has paid for. */
@NullMarked
package dev.outbox.sample.licensing;

import org.jspecify.annotations.NullMarked;
