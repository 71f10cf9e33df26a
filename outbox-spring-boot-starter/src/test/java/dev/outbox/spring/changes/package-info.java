/** Snippets of "Changing events", and the tests of its rules. */
@NullMarked
package dev.outbox.spring.changes;

import org.jspecify.annotations.NullMarked;
