/** Decoding of payloads, and checks for fields that were renamed or are missing. */
@NullMarked
package dev.outbox.internal.payload;

import org.jspecify.annotations.NullMarked;
