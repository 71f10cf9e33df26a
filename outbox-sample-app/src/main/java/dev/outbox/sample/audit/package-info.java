/** Records every event of every context. */
@NullMarked
package dev.outbox.sample.audit;

import org.jspecify.annotations.NullMarked;
