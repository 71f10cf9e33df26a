package dev.outbox.kafka.internal.inbox;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.delivery.NewEvent.Aggregate;
import dev.outbox.internal.store.ReceivedStore;
import dev.outbox.kafka.internal.cloudevents.CloudEvent;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.Incoming.Content;
import dev.outbox.kafka.internal.inbox.Incoming.Refusal;
import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stores the events of a batch in the thread's transaction. Locks their aggregates first: a consumer that has lost its partition may store
 * the same batch at the same time, and the second must see what the first has stored.
 */
final class InboxTransaction {

    private final InboxSettings settings;
    private final ReceivedStore received;
    private final OutboxPublisher publisher;
    private final Inbox.Subscribers subscribers;
    private final RecordEvents records;

    InboxTransaction(
            InboxSettings settings,
            ReceivedStore received,
            OutboxPublisher publisher,
            Inbox.Subscribers subscribers,
            RecordEvents records) {
        this.settings = settings;
        this.received = received;
        this.publisher = publisher;
        this.subscribers = subscribers;
        this.records = records;
    }

    /** Stores each record as an event, drops it, or stores it as a dead letter. Returns what became of the records. */
    Map<Result, Long> store(List<Incoming> batch) throws SQLException {
        Set<Aggregate> aggregates = batch.stream()
                .map(Incoming::content)
                .filter(Objects::nonNull)
                .map(Content::aggregate)
                .collect(Collectors.toSet());
        Round round = new Round();
        if (!aggregates.isEmpty()) {
            round.last.putAll(received.lock(new TreeSet<>(aggregates)));
            round.known.addAll(received.known(batch.stream()
                    .map(Incoming::content)
                    .filter(Objects::nonNull)
                    .map((content) -> content.event().id())
                    .toList()));
        }
        batch.forEach(round::add);
        round.finish();
        return round.results;
    }

    boolean isIgnored(Content content) {
        return settings.rules().unknownTypes() == UnknownTypes.IGNORE && isUnknown(content);
    }

    boolean isRefused(Content content) {
        return settings.rules().unknownTypes() == UnknownTypes.DEAD_LETTER && isUnknown(content);
    }

    private boolean isUnknown(Content content) {
        return !subscribers.take(
                content.event().type().name(), content.aggregate().type(), settings.target().stream());
    }

    SequenceGuard decide(long last, Content content) {
        return SequenceGuard.decide(last, content.sequence(), settings.rules().holdsGaps());
    }

    static Refusal unknownType(Content content) {
        return new Refusal(
                Reason.UNKNOWN_TYPE,
                "no handler subscribes to the event type "
                        + content.event().type().name() + " of " + content
                        + "; retry when one does, or skip the record");
    }

    static Refusal late(Content content, long last) {
        return new Refusal(
                Reason.LATE,
                content + " arrived after the sequence " + last
                        + ", which is stored: storing it now would break the order; skip the record");
    }

    OutboxEvent event(Content content) {
        CloudEvent event = content.event();
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.remove(EventEnvelope.ORIGIN);
        OutboxEvent stored = OutboxEvent.of(
                        content.aggregate().type(), content.aggregate().id(), RecordEvents.raw(event.payload()))
                .withEventId(event.id())
                .withEventType(event.type().name())
                .withSchemaVersion(event.type().schemaVersion())
                .withSequence(content.sequence())
                .withOrigin(event.source())
                .occurredAt(event.time());
        for (Map.Entry<String, String> header : headers.entrySet()) {
            stored = stored.withHeader(header.getKey(), header.getValue());
        }
        String stream = settings.target().stream();
        return stream == null ? stored : stored.inStream(stream);
    }

    /** Decisions about one batch. */
    private final class Round {

        private final Map<Aggregate, Long> last = new HashMap<>();
        private final Map<Aggregate, Long> advanced = new HashMap<>();
        private final Set<UUID> known = new HashSet<>();
        private final Map<UUID, Incoming> refused = new LinkedHashMap<>();
        private final List<OutboxEvent> events = new ArrayList<>();
        private final Map<Result, Long> results = new EnumMap<>(Result.class);

        void add(Incoming incoming) {
            Content content = incoming.content();
            if (content != null && known.contains(content.event().id())) {
                count(Result.DROPPED);
                return;
            }
            Refusal refusal = incoming.refusal() != null || content == null ? incoming.refusal() : decideOn(content);
            if (refusal != null) {
                refused.put(
                        StoredRecord.idOf(settings.name(), incoming.record()),
                        new Incoming(incoming.record(), content, refusal));
            }
        }

        private @Nullable Refusal decideOn(Content content) {
            CloudEvent event = content.event();
            long before = last.getOrDefault(content.aggregate(), ReceivedStore.NONE);
            SequenceGuard decision = decide(before, content);
            if (decision == SequenceGuard.HOLD) {
                return new Refusal(
                        Reason.GAP, content + " waits for its predecessor: the last sequence stored is " + before);
            }
            boolean late = decision == SequenceGuard.LATE;
            if (isIgnored(content) || (late && settings.rules().dropLate())) {
                count(Result.DROPPED);
            } else if (late) {
                return late(content, before);
            } else if (isRefused(content)) {
                return unknownType(content);
            } else {
                events.add(event(content));
                known.add(event.id());
                count(Result.RECEIVED);
            }
            if (!late) {
                last.put(content.aggregate(), content.sequence());
                advanced.put(content.aggregate(), content.sequence());
            }
            return null;
        }

        void finish() throws SQLException {
            if (!refused.isEmpty()) {
                Set<UUID> stored = received.known(refused.keySet());
                count(Result.DROPPED, stored.size());
                refused.keySet().removeAll(stored);
                Instant heldUntil = heldUntil();
                refused.forEach((id, incoming) -> {
                    Refusal refusal = Objects.requireNonNull(incoming.refusal());
                    events.add(records.of(id, incoming, refusal.reason() == Reason.GAP ? heldUntil : null));
                    count(refusal.reason().result());
                });
            }
            if (!events.isEmpty()) {
                publisher.publishAll(events);
            }
            if (!advanced.isEmpty()) {
                received.advance(advanced);
            }
        }

        /** The database's clock is the one that all instances share. */
        private @Nullable Instant heldUntil() throws SQLException {
            Duration timeout = settings.rules().gapTimeout();
            return timeout == null ? null : received.now().plus(timeout);
        }

        private void count(Result result) {
            count(result, 1);
        }

        private void count(Result result, long records) {
            if (records > 0) {
                results.merge(result, records, Long::sum);
            }
        }
    }
}
