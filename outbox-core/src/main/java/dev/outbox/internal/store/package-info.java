/** The tables and every SQL statement: the only package that knows a column. */
@NullMarked
package dev.outbox.internal.store;

import org.jspecify.annotations.NullMarked;
