package dev.outbox.forwarding.internal;

import dev.outbox.BatchHandler;
import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.dispatch.LaterOutcomes;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the events of one route. An aggregate never has a message in flight behind an unacknowledged one: a message that timed out may
 * still be appended later, after its successor. So each acknowledgement sends the next message of its aggregate; all aggregates go at the
 * same time.
 */
public final class ForwardingHandler<M> implements BatchHandler<EventEnvelope> {

    /** How long a route works in part after an acknowledgement. */
    private static final Duration WORKS_FOR = Duration.ofSeconds(5);

    /** Bounds the memory of messages without an answer, and of answers that came late. */
    private static final int MOST_OPEN = 10_000;

    /** Bounds the characters of payloads that wait for an answer, their own or that of an earlier event: as many as eight claims have. */
    private static final long MOST_CHARACTERS = 64L << 20;

    /** An answer that comes later may find no attempt that waits for it. */
    private static final Duration LATE_AFTER = Duration.ofSeconds(1);

    private final String route;
    private final Function<EventEnvelope, M> messages;
    private final Sender<M> sender;
    private final RouteFaults faults;
    private final Runnable precondition;
    private final LongSupplier nanos;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();

    /** Messages that the next attempt of their event must not repeat: those without an answer, and those acknowledged late. */
    private final Map<UUID, Sending> sent = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Sending> eldest) {
            return size() > 2 * MOST_OPEN;
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

    /** Event with its message, or with why it has none, and its outcome. */
    private record Item<M>(
            EventEnvelope event,
            @Nullable M message,
            @Nullable Throwable refusal,
            CompletableFuture<Void> outcome) {}

    /** Events of an aggregate that are left to send, and the characters of all. */
    private record Lane<M>(Deque<Item<M>> items, long characters) {

        Lane(Deque<Item<M>> items) {
            this(
                    items,
                    items.stream()
                            .mapToLong((item) -> item.event().payload().length())
                            .sum());
        }
    }

    @Override
    public void handle(
            List<EventEnvelope> payloads, List<EventEnvelope> events, BatchOutcome outcome, EventContext context) {
        requirePrecondition();
        LaterOutcomes outcomes = (LaterOutcomes) outcome;
        for (Deque<Item<M>> items : lanes(payloads)) {
            items.forEach((item) -> outcomes.later(item.event(), item.outcome()));
            Lane<M> lane = new Lane<>(items);
            characters.addAndGet(lane.characters());
            forward(lane, outcomes);
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

    private Collection<Deque<Item<M>>> lanes(List<EventEnvelope> events) {
        Map<List<String>, Deque<Item<M>>> lanes = new LinkedHashMap<>();
        for (EventEnvelope event : events) {
            lanes.computeIfAbsent(
                            List.of(event.aggregateType(), event.aggregateId()), (aggregate) -> new ArrayDeque<>())
                    .add(item(event));
        }
        return lanes.values();
    }

    /** Creates the message here, because the application's part in it may block: acknowledgements come on a thread of the broker's client. */
    private Item<M> item(EventEnvelope event) {
        CompletableFuture<Void> outcome = new CompletableFuture<>();
        try {
            return new Item<>(event, messages.apply(event), null, outcome);
        } catch (Throwable ex) {
            return new Item<>(event, null, ex, outcome);
        }
    }

    /** Sends the next message of a lane, unless the outcome of the one before came too late. One that must not begin any more was not attempted. */
    private void forward(Lane<M> lane, LaterOutcomes outcomes) {
        Item<M> item = lane.items().poll();
        if (item == null) {
            end(lane);
            return;
        }
        if (outcomes.isOver()) {
            item.outcome().cancel(false);
            end(lane);
            return;
        }
        Sending sending;
        try {
            sending = sending(item, lane, outcomes);
        } catch (Throwable ex) {
            item.outcome().completeExceptionally(ex);
            end(lane);
            return;
        }
        CompletableFuture<Void> unused = sending.ended().thenAccept((end) -> {
            Throwable failure = failure(sending, end);
            if (failure != null && outcomes.isOver()) {
                item.outcome().cancel(false);
            } else if (failure != null) {
                item.outcome().completeExceptionally(failure);
            } else if (item.outcome().complete(null)) {
                forward(lane, outcomes);
                return;
            }
            end(lane);
        });
    }

    private void end(Lane<M> lane) {
        characters.addAndGet(-lane.characters());
    }

    /** Sends an event, unless an earlier attempt has sent it: that message may still be on its way, or acknowledged by now. */
    private Sending sending(Item<M> item, Lane<M> lane, LaterOutcomes outcomes) throws Throwable {
        EventEnvelope event = item.event();
        Sending earlier = event.replayed() ? null : sent.get(event.eventId());
        if (earlier != null && (earlier.isOpen() || earlier.hasSucceeded())) {
            return earlier;
        }
        if (open.get() >= MOST_OPEN || characters.get() - lane.characters() >= MOST_CHARACTERS) {
            throw waiting(RetryAfterException.uncounted(
                    Fault.RETRY_DELAY,
                    "not sent, because too many messages have no answer yet",
                    Causes.selfReportedOutage(null)));
        }
        M message = item.message();
        if (message == null) {
            throw Objects.requireNonNull(item.refusal());
        }
        Sending sending = sender.send(message, outcomes::isOver, this::silent);
        open.incrementAndGet();
        sent.put(event.eventId(), sending);
        CompletableFuture<Void> unused = sending.ended().thenAccept((end) -> ended(event, sending));
        return sending;
    }

    private void ended(EventEnvelope event, Sending sending) {
        open.decrementAndGet();
        if (!sending.hasSucceeded() || nanos.getAsLong() - sending.begunAt() < LATE_AFTER.toNanos()) {
            sent.remove(event.eventId(), sending);
        }
    }

    private void silent(Sending sending) {
        faults.failed(route, sending.holder().name(), "it does not answer");
    }

    private @Nullable Throwable failure(Sending sending, Sending.End end) {
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
