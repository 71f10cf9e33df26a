package dev.outbox.internal.poll;

import dev.outbox.internal.background.BackgroundCall;
import dev.outbox.internal.poll.BatchSource.Settled;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Settles one batch at a time on a thread of its own, while the loop claims and dispatches the next one. */
final class AsyncSettlement<B> {

    private final BackgroundCall<Settled> call;
    private @Nullable B batch;

    AsyncSettlement(String name) {
        this.call = new BackgroundCall<>(name);
    }

    /** Returns {@code false} if no thread could be started. */
    boolean begin(B next, Callable<Settled> settlement) {
        boolean begun = call.begin(settlement);
        batch = begun ? next : null;
        return begun;
    }

    /** Returns the batch that is being settled, or whose settlement was not looked at yet. */
    @Nullable
    B batch() {
        return batch;
    }

    /** Waits for the settlement. */
    Settled finish() throws SQLException {
        batch = null;
        return call.result();
    }
}
