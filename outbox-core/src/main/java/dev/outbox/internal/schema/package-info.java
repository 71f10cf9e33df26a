/**
 * Creates the tables, or the SQL for administrators, and explains a database that cannot be used.
 *
 * <p>Front door: {@link OutboxMigrations}. Beside it: {@link OutboxRelation}, {@link PlainSql}, {@link SequenceCheck}, {@link
 * TableModule}, {@link UnpooledDataSource}, {@link WorkerPrivileges}. Tables: the history of the migrations.
 */
@NullMarked
package dev.outbox.internal.schema;

import org.jspecify.annotations.NullMarked;
