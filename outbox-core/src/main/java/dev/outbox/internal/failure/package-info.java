/**
 * Classifies failures, and takes secrets out of their texts.
 *
 * <p>Front door: {@link Failure}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.failure;

import org.jspecify.annotations.NullMarked;
