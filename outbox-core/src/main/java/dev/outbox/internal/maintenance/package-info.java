/** Background work beside delivery: archive, expired registrations, replays. */
@NullMarked
package dev.outbox.internal.maintenance;

import org.jspecify.annotations.NullMarked;
