/** Embedded PostgreSQL that keeps its data in a directory. */
@NullMarked
package dev.outbox.sample.database;

import org.jspecify.annotations.NullMarked;
