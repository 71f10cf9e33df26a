/** Discord for the other contexts: its REST API, and ports to what they ask of guilds. */
@NullMarked
package dev.outbox.sample.discord;

import org.jspecify.annotations.NullMarked;
