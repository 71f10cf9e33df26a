package dev.outbox.console.internal.page;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.Delivery.FailedAttempt;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventDetails.HandlerProgress;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxOverview;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What happened to an event, in the order of time. */
final class Timeline {

    private static final String SKIPPED = "operation skipped";

    private final List<Entry> entries = new ArrayList<>();

    /** Handlers that have a delivery of the event, which no replay adds again. */
    private final Set<String> delivering;

    private Timeline(EventDetails details) {
        delivering = details.handlers().stream()
                .filter((handler) -> handler.delivery() != null)
                .map(HandlerProgress::handlerId)
                .collect(Collectors.toSet());
    }

    /**
     * Something that happened.
     *
     * @param at when
     * @param kind the kind, for the style of the page
     * @param title what happened
     * @param handlerId to which handler; {@code null} for the event itself
     * @param text details; {@code null} if there are none
     * @param trace the first lines of a stack trace; {@code null} if there is none
     */
    record Entry(
            Instant at,
            String kind,
            String title,
            @Nullable String handlerId,
            @Nullable String text,
            @Nullable String trace) {

        /** Whether an operator skipped the delivery, which a replay can deliver again. */
        public boolean skipped() {
            return kind.equals(SKIPPED);
        }
    }

    static List<Entry> of(EventDetails details) {
        Timeline timeline = new Timeline(details);
        timeline.addEvent(details);
        details.handlers().forEach(timeline::addAttempts);
        details.operations().forEach(timeline::addOperation);
        return timeline.entries.stream().sorted(Comparator.comparing(Entry::at)).toList();
    }

    private void addEvent(EventDetails details) {
        EventDetails.Progress progress = details.progress();
        add(details.event().occurredAt(), "stored", "Stored", null, null);
        OutboxOverview.Claim claim = progress.claim();
        if (claim != null) {
            add(
                    claim.claimedAt(),
                    "claimed",
                    "Claimed by " + claim.worker(),
                    null,
                    "Lease until " + claim.leaseUntil());
        }
        if (progress.dispatchedAt() != null) {
            add(progress.dispatchedAt(), "dispatched", "First delivery to all handlers ended", null, null);
        }
        if (progress.publishedAt() != null) {
            add(progress.publishedAt(), "published", "Published: no delivery is open", null, null);
        }
    }

    private void addAttempts(HandlerProgress handler) {
        for (FailedAttempt failure : handler.failures()) {
            entries.add(new Entry(
                    failure.at(),
                    "failed",
                    "Attempt " + failure.attempt() + " failed: " + failure.code() + circumstances(failure),
                    handler.handlerId(),
                    failure.message(),
                    failure.trace()));
        }
        Delivery delivery = handler.delivery();
        if (delivery != null && delivery.lease() != null) {
            Instant startedAt = delivery.attempts().lastAt();
            add(
                    startedAt == null ? delivery.state().createdAt() : startedAt,
                    "claimed",
                    "Attempt started by " + delivery.lease().worker(),
                    handler.handlerId(),
                    "Lease until " + delivery.lease().until());
        }
    }

    private static String circumstances(FailedAttempt failure) {
        return (failure.worker() == null ? "" : ", by " + failure.worker())
                + (failure.took() == null ? "" : ", after " + failure.took().toMillis() + " ms");
    }

    private void addOperation(Operation operation) {
        boolean skipped = operation.action().equals("SKIP")
                && !delivering.contains(operation.subject().handlerId());
        add(
                operation.performedAt(),
                skipped ? SKIPPED : "operation",
                operation.action() + " by " + operation.performedBy(),
                operation.subject().handlerId(),
                operation.reason());
    }

    private void add(Instant at, String kind, String title, @Nullable String handlerId, @Nullable String text) {
        entries.add(new Entry(at, kind, title, handlerId, text, null));
    }
}
