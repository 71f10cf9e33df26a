package dev.outbox.sample.docs;

import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.time.Instant;
import java.util.Optional;

/** A replay of a day. */
class Backfill {

    private final Replays replays;

    Backfill(Replays replays) {
        this.replays = replays;
    }

    long replay(Instant yesterday, Instant today) {
        ReplayRequest request = ReplayRequest.of("search.index")
                .occurred(yesterday, today)
                .eventTypes("OrderPlaced")
                .rate(200);
        return replays.start(request, "ann", "the index was lost");
    }

    Optional<Replay> progress(long id) {
        return replays.find(id);
    }

    boolean cancel(long id) {
        return replays.cancel(id, "ann");
    }
}
