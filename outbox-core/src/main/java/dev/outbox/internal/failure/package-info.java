/** What a failure means, and what of it may be stored or logged. */
@NullMarked
package dev.outbox.internal.failure;

import org.jspecify.annotations.NullMarked;
