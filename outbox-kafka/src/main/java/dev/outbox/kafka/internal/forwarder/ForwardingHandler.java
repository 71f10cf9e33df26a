package dev.outbox.kafka.internal.forwarder;

import dev.outbox.BatchHandler;
import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.kafka.internal.forwarder.RecordSender.Sending;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the events of one route in waves. A wave has the next event of each aggregate and ends when Kafka has acknowledged or refused
 * every record, so an aggregate never has a record in flight behind an unacknowledged one: a record that timed out may still be appended
 * later, after its successor.
 */
public final class ForwardingHandler implements BatchHandler<EventEnvelope> {

    private final String route;
    private final RecordFactory records;
    private final RecordSender sender;
    private final RouteFaults faults;
    private final Runnable precondition;

    public ForwardingHandler(
            String route, RecordFactory records, RecordSender sender, RouteFaults faults, Runnable precondition) {
        this.route = route;
        this.records = records;
        this.sender = sender;
        this.faults = faults;
        this.precondition = precondition;
    }

    /** First event of a lane, with its record on the way or the reason why it was not sent. */
    private record Sent(
            Deque<EventEnvelope> lane,
            @Nullable Sending sending,
            @Nullable Throwable unsent) {}

    /** Returns the route whose events this handler forwards. */
    public Route route() {
        return records.route();
    }

    @Override
    public void handle(
            List<EventEnvelope> payloads, List<EventEnvelope> events, BatchOutcome outcome, EventContext context)
            throws InterruptedException {
        requirePrecondition();
        Collection<Deque<EventEnvelope>> lanes = lanes(payloads);
        RouteFaults.Fault before = faults.of(route);
        while (!lanes.isEmpty()) {
            if (context.isLeaseLost()) {
                lanes.forEach((lane) -> outcome.failed(lane.getFirst(), leaseLost()));
                return;
            }
            lanes = wave(lanes, outcome, before);
        }
    }

    private void requirePrecondition() {
        try {
            precondition.run();
        } catch (RuntimeException ex) {
            SendFailure failure = SendFailure.unmet(ex);
            faults.failed(route, failure);
            throw (RetryAfterException) failure.cause();
        }
    }

    private Collection<Deque<EventEnvelope>> lanes(List<EventEnvelope> events) {
        Map<List<String>, Deque<EventEnvelope>> lanes = new LinkedHashMap<>();
        for (EventEnvelope event : events) {
            lanes.computeIfAbsent(
                            List.of(event.aggregateType(), event.aggregateId()), (aggregate) -> new ArrayDeque<>())
                    .add(event);
        }
        return lanes.values();
    }

    /** Sends the next event of each lane, and returns the lanes that have more events and no failure. */
    private List<Deque<EventEnvelope>> wave(
            Collection<Deque<EventEnvelope>> lanes, BatchOutcome outcome, RouteFaults.@Nullable Fault before)
            throws InterruptedException {
        List<Sent> wave = new ArrayList<>();
        for (Deque<EventEnvelope> lane : lanes) {
            wave.add(send(lane));
        }
        List<Deque<EventEnvelope>> rest = new ArrayList<>();
        boolean sentAny = false;
        for (Sent sent : wave) {
            Throwable failure = failure(sent);
            if (failure != null) {
                outcome.failed(sent.lane().getFirst(), failure);
                continue;
            }
            sentAny = true;
            sent.lane().removeFirst();
            if (!sent.lane().isEmpty()) {
                rest.add(sent.lane());
            }
        }
        if (sentAny) {
            faults.succeeded(route, before);
        }
        return rest;
    }

    private Sent send(Deque<EventEnvelope> lane) throws InterruptedException {
        EventEnvelope event = lane.getFirst();
        try {
            return new Sent(lane, sender.send(records.create(event)), null);
        } catch (RuntimeException ex) {
            return new Sent(lane, null, ex);
        }
    }

    private @Nullable Throwable failure(Sent sent) throws InterruptedException {
        Sending sending = sent.sending();
        if (sending == null) {
            return sent.unsent();
        }
        SendFailure failure = sender.await(sending);
        if (failure == null) {
            return null;
        }
        if (failure.isOfEnvironment()) {
            faults.failed(route, failure);
        }
        return failure.cause();
    }

    private static RetryAfterException leaseLost() {
        return RetryAfterException.uncounted(
                Duration.ZERO, "not sent, because another instance may have taken over the event", null);
    }
}
