/** Discord for the other contexts: ports to what they ask of guilds, and a simulated one. */
@NullMarked
package dev.outbox.sample.discord;

import org.jspecify.annotations.NullMarked;
