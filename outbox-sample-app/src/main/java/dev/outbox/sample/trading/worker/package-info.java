/** Workers that pass trading commands and settings from the outbox to the domain. */
@NullMarked
package dev.outbox.sample.trading.worker;

import org.jspecify.annotations.NullMarked;
