package dev.outbox.forwarding.internal;

import dev.outbox.BatchHandler;
import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the events of one route in waves. A wave has the next event of each aggregate and ends when the broker has acknowledged or refused
 * every message, so an aggregate never has a message in flight behind an unacknowledged one: a message that timed out may still be appended
 * later, after its successor.
 *
 * <p>A call takes a second at most. What is not acknowledged by then is left to its lane, where the next attempt finds its answer.
 */
public final class ForwardingHandler<M> implements BatchHandler<EventEnvelope> {

    /** When the answer of a message that was left is looked for. */
    static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** How long a route works in part after an acknowledgement. */
    private static final Duration WORKS_FOR = Duration.ofSeconds(5);

    /** An answer that was forgotten costs a second message. */
    private static final int MOST_LEFT = 10_000;

    private final String route;
    private final Function<EventEnvelope, M> messages;
    private final Sender<M> sender;
    private final RouteFaults faults;
    private final Runnable precondition;
    private final LongSupplier nanos;

    /** Messages without an answer when a call ended, by event. */
    private final Map<UUID, Sending> left = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Sending> eldest) {
            return size() > MOST_LEFT;
        }
    });

    private volatile long succeededAt;

    public ForwardingHandler(
            String route,
            Function<EventEnvelope, M> messages,
            Sender<M> sender,
            RouteFaults faults,
            Runnable precondition,
            LongSupplier nanos) {
        this.route = route;
        this.messages = messages;
        this.sender = sender;
        this.faults = faults;
        this.precondition = precondition;
        this.nanos = nanos;
        this.succeededAt = nanos.getAsLong();
    }

    /** First event of a lane, with its message or the reason why it has none. */
    private record Sent(
            Deque<EventEnvelope> lane,
            @Nullable Sending sending,
            @Nullable Throwable unsent) {}

    @Override
    public void handle(
            List<EventEnvelope> payloads, List<EventEnvelope> events, BatchOutcome outcome, EventContext context)
            throws InterruptedException {
        long begun = nanos.getAsLong();
        requirePrecondition();
        Collection<Deque<EventEnvelope>> lanes = lanes(payloads);
        while (!lanes.isEmpty()) {
            if (context.isLeaseLost()) {
                fail(lanes, outcome, "not sent, because another instance may have taken over the event");
                return;
            }
            lanes = wave(lanes, outcome, begun);
            if (left(begun) <= 0) {
                fail(lanes, outcome, "not sent yet, because other handlers wait");
                return;
            }
        }
    }

    private void requirePrecondition() {
        try {
            precondition.run();
        } catch (RuntimeException ex) {
            String message = Redaction.message(ex);
            faults.failed(route, sender.connection().name(), message);
            throw RetryAfterException.uncounted(Fault.RETRY_DELAY, message, Causes.selfReportedOutage(ex));
        }
    }

    private static void fail(Collection<Deque<EventEnvelope>> lanes, BatchOutcome outcome, String message) {
        RetryAfterException cause = RetryAfterException.uncounted(Duration.ZERO, message, Causes.selfReported());
        lanes.forEach((lane) -> outcome.failed(lane.getFirst(), cause));
    }

    private static Collection<Deque<EventEnvelope>> lanes(List<EventEnvelope> events) {
        Map<List<String>, Deque<EventEnvelope>> lanes = new LinkedHashMap<>();
        for (EventEnvelope event : events) {
            lanes.computeIfAbsent(
                            List.of(event.aggregateType(), event.aggregateId()), (aggregate) -> new ArrayDeque<>())
                    .add(event);
        }
        return lanes.values();
    }

    /** Sends the next event of each lane, and returns the lanes that have more events and no failure. */
    private List<Deque<EventEnvelope>> wave(Collection<Deque<EventEnvelope>> lanes, BatchOutcome outcome, long begun)
            throws InterruptedException {
        List<Sent> wave = new ArrayList<>();
        for (Deque<EventEnvelope> lane : lanes) {
            wave.add(send(lane));
        }
        List<Deque<EventEnvelope>> rest = new ArrayList<>();
        for (Sent sent : wave) {
            Deque<EventEnvelope> lane = sent.lane();
            Throwable failure = failure(sent, begun);
            if (failure != null) {
                outcome.failed(lane.getFirst(), failure);
                continue;
            }
            lane.removeFirst();
            if (!lane.isEmpty()) {
                rest.add(lane);
            }
        }
        return rest;
    }

    private long left(long begun) {
        return begun + Sender.PATIENCE.toNanos() - nanos.getAsLong();
    }

    /** Sends an event, unless an earlier attempt has sent it: that message may still be on its way, or acknowledged by now. */
    private Sent send(Deque<EventEnvelope> lane) {
        EventEnvelope event = lane.getFirst();
        Sending earlier = event.replayed() ? null : left.get(event.eventId());
        if (earlier != null) {
            if (sender.isOpen(earlier)) {
                if (sender.isSilent(earlier)) {
                    faults.failed(route, earlier.holder().name(), "it does not answer");
                }
                return new Sent(lane, earlier, null);
            }
            left.remove(event.eventId(), earlier);
            Sending.End end = earlier.end();
            if (end != null && end.fault() == null) {
                return new Sent(lane, earlier, null);
            }
        }
        try {
            return new Sent(lane, sender.send(messages.apply(event)), null);
        } catch (RuntimeException ex) {
            return new Sent(lane, null, ex);
        }
    }

    private @Nullable Throwable failure(Sent sent, long begun) throws InterruptedException {
        Sending sending = sent.sending();
        if (sending == null) {
            return sent.unsent();
        }
        sender.await(
                sending,
                Math.min(begun + Sender.PATIENCE.toNanos(), sending.begunAt() + Sender.PATIENCE_FOR_ONE.toNanos()));
        Sending.End end = sending.end();
        EventEnvelope event = sent.lane().getFirst();
        if (end == null) {
            sender.leave(sending, begun);
            left.put(event.eventId(), sending);
            String message = sending.holder().name() + " has not acknowledged the message yet, and may still do so";
            return waiting(RetryAfterException.uncounted(LOOK_AGAIN, message, Causes.selfReportedOutage(null)));
        }
        Fault fault = end.fault();
        if (fault == null) {
            succeededAt = nanos.getAsLong();
            faults.succeeded(route, sending.path());
            return null;
        }
        if (fault.isOfEnvironment()) {
            faults.failed(route, end.unit().name(), fault.message());
        }
        return fault.cause() instanceof RetryAfterException cause && Causes.isSelfReported(cause)
                ? waiting(cause)
                : fault.cause();
    }

    /** While a part of the route works, the failures of others do not open its circuit. */
    private RetryAfterException waiting(RetryAfterException cause) {
        return nanos.getAsLong() - succeededAt < WORKS_FOR.toNanos()
                ? RetryAfterException.uncounted(
                        cause.delay(), String.valueOf(cause.getMessage()), Causes.selfReported())
                : cause;
    }
}
