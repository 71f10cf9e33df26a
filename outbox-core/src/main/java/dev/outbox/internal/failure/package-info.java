/**
 * Classifies failures, and takes secrets out of their texts.
 *
 * <p>Front doors: {@link Causes}, {@link Redaction}. Beside them: {@link Failure}, {@link HandlerFrames}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.failure;

import org.jspecify.annotations.NullMarked;
