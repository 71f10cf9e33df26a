/** Keeps everybody's inbox, which is what counts, and tries to bring each message to the phone as well. */
@NullMarked
package dev.outbox.sample.push;

import org.jspecify.annotations.NullMarked;
