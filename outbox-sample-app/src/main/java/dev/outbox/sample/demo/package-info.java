/** Traffic and faults at the push of a button, to see what the outbox makes of them. Only with {@code demo.enabled}. */
@NullMarked
package dev.outbox.sample.demo;

import org.jspecify.annotations.NullMarked;
