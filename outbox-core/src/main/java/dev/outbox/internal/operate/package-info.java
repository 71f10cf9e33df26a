/**
 * Commands of operators: retry, skip, pause, expire. They change the tables of claim, lane and registry under the rules of those packages.
 *
 * <p>Front door: {@link JdbcOperations}. Tables: none of its own.
 */
@NullMarked
package dev.outbox.internal.operate;

import org.jspecify.annotations.NullMarked;
