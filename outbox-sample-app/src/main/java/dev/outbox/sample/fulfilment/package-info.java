/** Fulfils orders, and copes with duplicate events, gaps and lost answers. */
@NullMarked
package dev.outbox.sample.fulfilment;

import org.jspecify.annotations.NullMarked;
