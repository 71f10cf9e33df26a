/** Annotations that add the outbox and its test kit to a test. */
@NullMarked
package dev.outbox.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
