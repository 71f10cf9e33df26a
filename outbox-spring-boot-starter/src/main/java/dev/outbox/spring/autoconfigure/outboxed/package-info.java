/** Classes marked {@link dev.outbox.Outboxed}, and how the outbox stores their objects. */
@NullMarked
package dev.outbox.spring.autoconfigure.outboxed;

import org.jspecify.annotations.NullMarked;
