/**
 * What console, endpoint and health read. Changes nothing.
 *
 * <p>Front door: {@link JdbcInspector}. Tables: none of its own.
 */
@NullMarked
package dev.outbox.internal.inspect;

import org.jspecify.annotations.NullMarked;
