package dev.outbox.internal.dispatch;

import dev.outbox.BatchOutcome;
import java.util.concurrent.CompletionStage;

/** Outcomes of a batch that may come after its handler has returned. The claim keeps their lanes meanwhile. Thread-safe. */
public interface LaterOutcomes extends BatchOutcome {

    /**
     * Lets the outcome of an event come later: its success, its failure, or that it was not attempted if the stage is cancelled. The later
     * events of the aggregate in the batch must not begin before; behind a failure they count as not attempted, whatever their own stages
     * tell. A stage has to end, by itself or by the timeout of the handler, which cancels it. To be called before the handler returns.
     *
     * @throws IllegalStateException if the handler has returned
     */
    void later(Object event, CompletionStage<?> outcome);

    /** Returns whether no more of the batch may begin: the process is being stopped, or may have lost the lease. Does not block. */
    boolean isOver();
}
