package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Outcomes that come after the handler has returned. A handler may have several deliveries of a lane at once: it attempts the first, and
 * goes on with the next after each success, also when the worker has lost the claim or given it back meanwhile.
 */
record LaterOutcomes(Protocol protocol, Bounds bounds, Dispatch dispatch) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers(); number++) {
            for (int lane = 0; lane < State.LANES && state.worker(number).awaited() != 0; lane++) {
                int awaited = bounds.ofLane(state.worker(number).awaited(), lane);
                if (awaited != 0) {
                    come(state, number, awaited, steps);
                }
            }
        }
        for (int lane = 0; lane < State.LANES && state.abandoned() != 0; lane++) {
            int abandoned = bounds.ofLane(state.abandoned(), lane);
            if (abandoned != 0) {
                goOn(state, abandoned, steps);
            }
        }
    }

    private void come(State state, int number, int awaited, Steps steps) {
        State succeeded = come(state, number, awaited, Outcome.SUCCEEDED);
        steps.add(succeeded, () -> text(state, number, awaited) + ": success");
        if (bounds.allows(state, Fault.HANDLER_FAILURE)) {
            State failed = come(state, number, awaited, Outcome.FAILED);
            steps.addFault(Fault.HANDLER_FAILURE, failed, () -> text(state, number, awaited) + ": failure");
            if (rest(awaited) != 0) {
                State late = come(state, number, awaited, Outcome.FAILED);
                late.setAbandoned(late.abandoned() | awaited);
                steps.addFault(Fault.HANDLER_FAILURE, late, () -> text(state, number, awaited) + ": out of time");
            }
        }
    }

    private State come(State state, int number, int awaited, Outcome outcome) {
        State next = state.copy();
        Worker worker = next.worker(number);
        int event = event(awaited);
        int handler = handler(awaited);
        worker.await(event, handler, false);
        worker.setOutcome(event, handler, outcome);
        if (outcome == Outcome.SUCCEEDED) {
            next.noteHandled(event, handler);
        } else if (worker.work() == Work.BATCH) {
            worker.block(bounds.aggregate(event), handler);
        } else if (state.database().failures(event, handler) + 1 >= bounds.attempts()) {
            worker.giveUp(event);
            noteDead(bounds, next, event, handler);
        }
        if (outcome == Outcome.SUCCEEDED || !protocol.has(Rule.CHAIN_ENDS_WITH_FAILURE)) {
            checkGoesOn(next, rest(awaited));
        } else {
            stopAwaiting(worker, rest(awaited));
        }
        dispatch.queueBlocked(next, worker);
        return next;
    }

    /** The handler of a claim that is lost ends one delivery and goes on with the next. If it fails, nobody learns of it. */
    private void goOn(State state, int abandoned, Steps steps) {
        State next = state.copy();
        next.noteHandled(event(abandoned), handler(abandoned));
        int rest = rest(abandoned);
        checkGoesOn(next, rest);
        next.setAbandoned(state.abandoned() & ~abandoned | (rest(rest) == 0 ? 0 : rest));
        steps.add(
                next,
                () -> "handler %d, without a claim, goes on after %s"
                        .formatted(handler(abandoned) + 1, bounds.name(event(abandoned))));
    }

    private void checkGoesOn(State next, int deliveries) {
        if (deliveries != 0) {
            Properties.checkGoesOn(bounds, next, event(deliveries), handler(deliveries));
        }
    }

    private String text(State state, int number, int awaited) {
        return "the outcome of handler %d of %s for %s comes"
                .formatted(handler(awaited) + 1, state.worker(number).name(), bounds.name(event(awaited)));
    }

    /** What is dead without blocking its lane lets later events pass, also if the database forgets it. */
    static void noteDead(Bounds bounds, State state, int event, int handler) {
        if (bounds.later() && !bounds.blocking()) {
            state.noteHandled(event, handler);
        }
    }

    /** Does not wait for deliveries of a worker any more: they count as not attempted. */
    static void stopAwaiting(Worker worker, int deliveries) {
        for (int left = deliveries; left != 0; left = rest(left)) {
            worker.await(event(left), handler(left), false);
            if (worker.work() == Work.BATCH) {
                worker.setOutcome(event(left), handler(left), Outcome.NOT_INVOKED);
            }
        }
    }

    /** Lets handlers go on with what a worker does not wait for any more. Notes those that have more to attempt. */
    static void abandon(Bounds bounds, State state, Worker worker) {
        for (int lane = 0; lane < State.LANES && worker.awaited() != 0; lane++) {
            abandon(state, bounds.ofLane(worker.awaited(), lane));
        }
    }

    static void abandon(State state, int ofLane) {
        state.setAbandoned(state.abandoned() | (rest(ofLane) == 0 ? 0 : ofLane));
    }

    private static int rest(int deliveries) {
        return deliveries & deliveries - 1;
    }

    private static int event(int deliveries) {
        return Integer.numberOfTrailingZeros(deliveries) / State.HANDLERS;
    }

    private static int handler(int deliveries) {
        return Integer.numberOfTrailingZeros(deliveries) % State.HANDLERS;
    }
}
