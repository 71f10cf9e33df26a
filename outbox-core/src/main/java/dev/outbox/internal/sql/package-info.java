/**
 * Statements with named parameters, sent as one round trip.
 *
 * <p>Front door: {@link Pipeline}. Beside it: {@link BoundConnection}, {@link Counted}, {@link EventRow}, {@link LooseScan}, {@link NamedSql}, {@link
 * NetworkTimeout}, {@link OutboxSchema}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.sql;

import org.jspecify.annotations.NullMarked;
