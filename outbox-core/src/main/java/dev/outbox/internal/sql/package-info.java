/**
 * Statements with named parameters, sent as one round trip.
 *
 * <p>Front door: {@link Pipeline}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.sql;

import org.jspecify.annotations.NullMarked;
