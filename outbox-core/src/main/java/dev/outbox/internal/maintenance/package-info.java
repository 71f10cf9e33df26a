/** Background work beside delivery: archive, reports on the registry, replays. */
@NullMarked
package dev.outbox.internal.maintenance;

import org.jspecify.annotations.NullMarked;
