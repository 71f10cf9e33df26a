/** Classification of failures, and redaction of what is stored or logged about them. */
@NullMarked
package dev.outbox.internal.failure;

import org.jspecify.annotations.NullMarked;
