/**
 * Classifies failures, and takes secrets out of their texts.
 *
 * <p>Front doors: {@link Causes}, {@link Redaction}; {@link Failure} is what is stored. Tables: none.
 */
@NullMarked
package dev.outbox.internal.failure;

import org.jspecify.annotations.NullMarked;
