/** Events that the contexts share, one type for each publishing context. */
@NullMarked
package dev.outbox.sample.events;

import org.jspecify.annotations.NullMarked;
