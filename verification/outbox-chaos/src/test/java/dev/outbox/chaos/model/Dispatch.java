package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * The work of a worker on what it has claimed: it offers the events in the order of their ids to the handlers, one after the other,
 * under a claim that the database has confirmed, and outside any transaction.
 */
record Dispatch(Protocol protocol, Bounds bounds, Fence fence) implements Role {

    private static final int NOTHING = -1;

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (worker.isRunning()) {
                end(state, number, steps);
            } else if (worker.hasClaim()) {
                int next = next(state, worker);
                if (next != NOTHING
                        && worker.eventsToKeep() == 0
                        && (worker.isTrusted() || !protocol.has(Rule.CONFIRM_BEFORE_START))) {
                    start(state, number, next, steps);
                }
                if (!worker.isTrusted()) {
                    confirm(state, number, steps);
                }
            }
        }
    }

    private void start(State state, int number, int pair, Steps steps) {
        State next = state.copy();
        int event = pair / State.HANDLERS;
        int handler = pair % State.HANDLERS;
        Properties.checkStart(bounds, next, next.worker(number), event, handler);
        if (bounds.later()) {
            next.worker(number).await(event, handler, true);
            queueBlocked(next, next.worker(number));
        } else {
            next.worker(number).run(event, handler);
        }
        steps.add(
                next,
                () -> "%s starts handler %d for %s"
                        .formatted(next.worker(number).name(), handler + 1, bounds.name(event)));
    }

    private void end(State state, int number, Steps steps) {
        State succeeded = ended(state, number, Outcome.SUCCEEDED);
        steps.add(succeeded, () -> ended(state, number) + " ends");
        if (bounds.allows(state, Fault.HANDLER_FAILURE)) {
            State failed = ended(state, number, Outcome.FAILED);
            steps.addFault(Fault.HANDLER_FAILURE, failed, () -> ended(state, number) + " fails");
        }
    }

    private String ended(State state, int number) {
        Worker worker = state.worker(number);
        return "handler %d of %s for %s"
                .formatted(worker.runningHandler() + 1, worker.name(), bounds.name(worker.runningEvent()));
    }

    private State ended(State state, int number, Outcome outcome) {
        State next = state.copy();
        Worker worker = next.worker(number);
        int event = worker.runningEvent();
        int handler = worker.runningHandler();
        worker.stopRunning();
        worker.setOutcome(event, handler, outcome);
        if (worker.work() == Work.BATCH) {
            if (outcome == Outcome.FAILED && protocol.has(Rule.WAIT_BEHIND_FAILURE)) {
                worker.block(bounds.aggregate(event), handler);
            }
            queueBlocked(next, worker);
        } else if (outcome == Outcome.FAILED && state.database().failures(event, handler) + 1 >= bounds.attempts()) {
            worker.giveUp(event);
        }
        return next;
    }

    /** Does not invoke a handler whose lane has earlier deliveries. */
    void queueBlocked(State state, Worker worker) {
        for (int next = next(state, worker);
                next != NOTHING && worker.work() == Work.BATCH;
                next = next(state, worker)) {
            int event = next / State.HANDLERS;
            int handler = next % State.HANDLERS;
            if (!worker.isBlocked(bounds.aggregate(event), handler)) {
                return;
            }
            worker.setOutcome(event, handler, Outcome.NOT_INVOKED);
        }
    }

    /** Asks the database whether the claim is still there and has not expired. */
    private void confirm(State state, int number, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        boolean confirmed = worker.work() == Work.BATCH ? fence.isClaimLive(next, worker) : isLaneLive(next, worker);
        if (confirmed) {
            worker.trust(true);
            steps.add(next, () -> worker.name() + " has its claim confirmed");
        } else {
            LaterOutcomes.abandon(bounds, next, worker);
            next.forget(worker);
            steps.add(next, () -> worker.name() + " asks for its claim and finds it lost");
        }
    }

    private boolean isLaneLive(State state, Worker worker) {
        int lane = bounds.lane(Integer.numberOfTrailingZeros(worker.events()), worker.handler());
        return state.database().isLaneLive(lane) && fence.holds(state, worker, lane);
    }

    /** The event and the handler that come next, as one number. */
    int next(State state, Worker worker) {
        return worker.work() == Work.BATCH ? nextOfBatch(state, worker) : nextOfLane(state, worker);
    }

    private int nextOfBatch(State state, Worker worker) {
        int first = NOTHING;
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (worker.hasEvent(event)
                    && !isHandedOut(worker, event)
                    && (first == NOTHING
                            || state.database().id(event) < state.database().id(first))) {
                first = event;
            }
        }
        for (int handler = 0; first != NOTHING && handler < bounds.handlers(); handler++) {
            if (worker.outcome(first, handler) == Outcome.NONE && !worker.awaits(first, handler)) {
                return first * State.HANDLERS + handler;
            }
        }
        return NOTHING;
    }

    private int nextOfLane(State state, Worker worker) {
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (worker.hasEvent(event) && !worker.awaits(event, worker.handler())) {
                switch (worker.outcome(event, worker.handler())) {
                    case NONE -> {
                        return event * State.HANDLERS + worker.handler();
                    }
                    case FAILED -> {
                        if (bounds.blocking() || !worker.gaveUp(event)) {
                            return NOTHING;
                        }
                    }
                    case NOT_INVOKED -> {
                        return NOTHING;
                    }
                    default -> {}
                }
            }
        }
        return NOTHING;
    }

    /** Whether every handler has an outcome, or one that comes later. */
    boolean isHandedOut(Worker worker, int event) {
        for (int handler = 0; handler < bounds.handlers(); handler++) {
            if (worker.outcome(event, handler) == Outcome.NONE && !worker.awaits(event, handler)) {
                return false;
            }
        }
        return true;
    }

    /** Whether every handler has an outcome. */
    boolean isDone(Worker worker, int event) {
        for (int handler = 0; handler < bounds.handlers(); handler++) {
            if (worker.outcome(event, handler) == Outcome.NONE) {
                return false;
            }
        }
        return true;
    }
}
