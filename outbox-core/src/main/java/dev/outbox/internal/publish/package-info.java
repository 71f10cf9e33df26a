/** Publishing in the transaction of the caller. */
@NullMarked
package dev.outbox.internal.publish;

import org.jspecify.annotations.NullMarked;
