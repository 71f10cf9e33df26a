/** Keeps the guilds that have or had the bot. */
@NullMarked
package dev.outbox.sample.guild;

import org.jspecify.annotations.NullMarked;
