/** A database for whoever has none: PostgreSQL in a directory of one's own. */
@NullMarked
package dev.outbox.sample.database;

import org.jspecify.annotations.NullMarked;
