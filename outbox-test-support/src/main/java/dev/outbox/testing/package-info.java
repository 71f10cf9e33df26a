/** Decides which PostgreSQL the tests run on, and hands out databases of their own. */
@NullMarked
package dev.outbox.testing;

import org.jspecify.annotations.NullMarked;
