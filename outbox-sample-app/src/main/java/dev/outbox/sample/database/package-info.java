/** Embedded PostgreSQL for a service without a database of its own. */
@NullMarked
package dev.outbox.sample.database;

import org.jspecify.annotations.NullMarked;
