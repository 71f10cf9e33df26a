/** Takes snapshots of guilds, restores them, and responds to attacks. */
@NullMarked
package dev.outbox.sample.recovery;

import org.jspecify.annotations.NullMarked;
