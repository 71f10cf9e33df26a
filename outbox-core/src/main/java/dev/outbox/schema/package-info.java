/** Creates the outbox tables, or checks that they are there. */
@NullMarked
package dev.outbox.schema;

import org.jspecify.annotations.NullMarked;
