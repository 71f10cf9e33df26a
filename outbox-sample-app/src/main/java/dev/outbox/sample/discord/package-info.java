/** Calls the REST API of Discord as a bot. */
@NullMarked
package dev.outbox.sample.discord;

import org.jspecify.annotations.NullMarked;
