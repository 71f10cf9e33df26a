/**
 * Archives handled events, and removes what has outlived its time.
 *
 * <p>Front door: {@link Retention}. Table: events of the archive.
 */
@NullMarked
package dev.outbox.internal.retention;

import org.jspecify.annotations.NullMarked;
