/** Sends direct messages on Discord, and reads and changes the roles of its guilds. */
@NullMarked
package dev.outbox.sample.adapters.discord;

import org.jspecify.annotations.NullMarked;
