/** Gets orders out of the house, whatever happens to their events on the way: duplicates, gaps, answers that are lost. */
@NullMarked
package dev.outbox.sample.fulfilment;

import org.jspecify.annotations.NullMarked;
