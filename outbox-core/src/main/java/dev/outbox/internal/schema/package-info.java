/**
 * Creates the tables, or the SQL for administrators, and explains a database that cannot be used.
 *
 * <p>Front door: {@link OutboxMigrations}. Tables: the history of the migrations.
 */
@NullMarked
package dev.outbox.internal.schema;

import org.jspecify.annotations.NullMarked;
