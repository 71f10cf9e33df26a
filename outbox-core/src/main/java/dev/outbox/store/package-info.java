/** The tables and every SQL statement: the only package that knows a column. */
@NullMarked
package dev.outbox.store;

import org.jspecify.annotations.NullMarked;
