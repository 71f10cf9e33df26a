/**
 * Feeds stored events to a handler again, at a rate.
 *
 * <p>Front door: {@link JdbcReplays}; {@link ReplayFeeder} feeds. Table: outbox_replay.
 */
@NullMarked
package dev.outbox.internal.replay;

import org.jspecify.annotations.NullMarked;
