/** Migrations of the tables, and the check that they fit. */
@NullMarked
package dev.outbox.internal.schema;

import org.jspecify.annotations.NullMarked;
