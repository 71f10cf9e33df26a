/** Puts the parts together, starts them and stops them. */
@NullMarked
package dev.outbox.runtime;

import org.jspecify.annotations.NullMarked;
