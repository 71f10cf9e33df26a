/** The workers of trading: what brings its commands and the settings from the outbox to the domain. */
@NullMarked
package dev.outbox.sample.trading.worker;

import org.jspecify.annotations.NullMarked;
