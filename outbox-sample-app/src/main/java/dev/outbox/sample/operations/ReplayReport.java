package dev.outbox.sample.operations;

import dev.outbox.operations.Replay;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Progress of a replay. */
record ReplayReport(
        long id,
        String handler,
        Replay.Status status,
        long fed,
        long open,
        long delivered,
        long dead,
        boolean allFed,
        String by,
        String reason,
        Instant startedAt,
        @Nullable Instant finishedAt) {

    static ReplayReport of(Replay replay) {
        Replay.Progress progress = replay.progress();
        return new ReplayReport(
                replay.id(),
                replay.request().handlerId(),
                replay.status(),
                progress.fed(),
                progress.open(),
                progress.delivered(),
                progress.dead(),
                progress.allFed(),
                replay.origin().by(),
                replay.origin().reason(),
                replay.origin().at(),
                progress.finishedAt());
    }
}
