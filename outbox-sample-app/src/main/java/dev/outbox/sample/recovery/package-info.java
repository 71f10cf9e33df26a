/** Takes snapshots of guilds, restores them, and answers attacks. */
@NullMarked
package dev.outbox.sample.recovery;

import org.jspecify.annotations.NullMarked;
