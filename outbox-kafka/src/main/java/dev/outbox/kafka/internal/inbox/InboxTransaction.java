package dev.outbox.kafka.internal.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.forwarding.internal.received.ReceivedStore;
import dev.outbox.forwarding.internal.received.ReceivedStore.Position;
import dev.outbox.forwarding.internal.received.ReceivedStore.Received;
import dev.outbox.forwarding.internal.received.SequenceGuard;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.kafka.InboxRecordMapper;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import dev.outbox.kafka.internal.inbox.Incoming.Content;
import dev.outbox.kafka.internal.inbox.Incoming.Refusal;
import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/**
 * Stores the events of a batch in the thread's transaction. Locks their aggregates first: a consumer that has lost its partition may store
 * the same batch at the same time, and the second must see what the first has stored.
 */
final class InboxTransaction {

    private static final int LONGEST_ID = 255;

    private final String inbox;
    private final InboxSettings settings;
    private final InboxRecordMapper mapper;
    private final ReceivedStore received;
    private final OutboxPublisher publisher;
    private final Inbox.Subscribers subscribers;
    private final int largestPayload;

    InboxTransaction(String inbox, InboxSettings settings, InboxRecordMapper mapper, Inbox.Outbox outbox) {
        this.inbox = inbox;
        this.settings = settings;
        this.mapper = mapper;
        this.received = outbox.received();
        this.publisher = outbox.publisher();
        this.subscribers = outbox.subscribers();
        this.largestPayload = outbox.largestPayload();
    }

    Incoming read(ConsumerRecord<byte[], byte[]> record, @Nullable String topicId) {
        return Incoming.read(record, topicId, settings, mapper);
    }

    /** What became of the records of a batch, and those of them that are refused or held back. */
    record Outcome(Map<Result, Long> results, Collection<Incoming> refused) {}

    /** Stores each record as an event, drops it, or stores it as a dead letter. */
    Outcome store(List<Incoming> batch) {
        List<Incoming> events =
                batch.stream().filter((incoming) -> incoming.content() != null).toList();
        Round round = new Round();
        if (!events.isEmpty()) {
            Map<Received, Position> positions = received.lock(
                    events.stream().map(Incoming::received).collect(Collectors.toCollection(TreeSet::new)));
            positions.forEach((key, position) -> {
                round.last.put(key, position.last());
                round.highest.merge(key.aggregate(), position.highest(), Math::max);
            });
            round.known.putAll(received.known(events.stream()
                    .map(Incoming::content)
                    .filter(Objects::nonNull)
                    .map(Content::id)
                    .toList()));
        }
        batch.forEach(round::add);
        round.finish();
        return new Outcome(round.results, round.refused.values());
    }

    boolean isIgnored(Content content) {
        return settings.unknownTypes() == UnknownTypes.IGNORE && isUnknown(content);
    }

    boolean isRefused(Content content) {
        return settings.unknownTypes() == UnknownTypes.DEAD_LETTER && isUnknown(content);
    }

    private boolean isUnknown(Content content) {
        return !subscribers.take(content.type(), content.aggregate().type(), content.event().stream());
    }

    SequenceGuard decide(Position position, Content content) {
        return SequenceGuard.decide(position, content.sequence(), settings.holdsGaps());
    }

    static Refusal unknownType(Content content) {
        return new Refusal(
                Reason.UNKNOWN_TYPE,
                "no handler subscribes to the event type "
                        + content.type() + " of " + content
                        + "; retry when one does, or skip the record");
    }

    static Refusal late(Received received, Content content, long last) {
        return new Refusal(
                Reason.LATE,
                content + " arrived after the sequence " + last + " of the topic " + received.topic()
                        + ", which is stored; retry to store it behind the later events, or skip the record");
    }

    /** Returns why an event is not the stored one with its id: CloudEvents are identified by source and id. */
    static @Nullable Refusal sameId(Content content, @Nullable String storedSource) {
        String source = content.event().origin();
        return storedSource == null || storedSource.equals(source)
                ? null
                : new Refusal(
                        Reason.INVALID,
                        content + " comes from " + source + ", and an event of " + storedSource
                                + " is stored under this id; give it another id in an InboxRecordMapper, or skip the record");
    }

    /** Turns a record that is refused or held back into an event of the outbox, which the handler of the inbox gets. */
    private OutboxEvent event(UUID id, Incoming incoming, Refusal refusal, @Nullable Instant heldUntil) {
        StoredRecord stored = StoredRecord.of(inbox, incoming, refusal, heldUntil);
        String json = stored.json();
        if (json.getBytes(UTF_8).length > largestPayload) {
            json = stored.withoutContent().json();
        }
        OutboxEvent event = OutboxEvent.of(StoredRecord.TYPE, aggregateId(incoming), new RawValue(json))
                .withEventId(id)
                .withEventType(StoredRecord.TYPE);
        return settings.stream() == null ? event : event.inStream(settings.stream());
    }

    /** The records of one aggregate wait for each other. */
    private String aggregateId(Incoming incoming) {
        Content content = incoming.content();
        ConsumerRecord<byte[], byte[]> record = incoming.record();
        String id = inbox + "/"
                + (content == null
                        ? record.topic() + "-" + record.partition()
                        : content.aggregate().toString());
        return id.length() <= LONGEST_ID ? id : inbox + "/" + UUID.nameUUIDFromBytes(id.getBytes(UTF_8));
    }

    /** Decisions about one batch. */
    private final class Round {

        private final Map<Received, Long> last = new HashMap<>();
        private final Map<Aggregate, Long> highest = new HashMap<>();
        private final Map<Received, Long> advanced = new HashMap<>();
        private final Map<UUID, @Nullable String> known = new HashMap<>();
        private final Map<UUID, Incoming> refused = new LinkedHashMap<>();
        private final List<OutboxEvent> events = new ArrayList<>();
        private final Map<Result, Long> results = new EnumMap<>(Result.class);

        void add(Incoming incoming) {
            Content content = incoming.content();
            Refusal refusal = incoming.refusal();
            if (content == null && refusal == null) {
                count(Result.DROPPED, 1);
                return;
            }
            if (content != null && known.containsKey(content.id())) {
                refusal = sameId(content, known.get(content.id()));
                if (refusal == null) {
                    count(Result.DROPPED, 1);
                    return;
                }
            }
            if (content != null && refusal == null) {
                refusal = decideOn(incoming, content);
            }
            if (refusal != null) {
                refused.put(StoredRecord.idOf(inbox, incoming.record()), incoming.refused(refusal));
            }
        }

        private @Nullable Refusal decideOn(Incoming incoming, Content content) {
            Received key = incoming.received();
            Position before = new Position(
                    last.getOrDefault(key, ReceivedStore.NONE),
                    highest.getOrDefault(content.aggregate(), ReceivedStore.NONE));
            SequenceGuard decision = decide(before, content);
            if (decision == SequenceGuard.HOLD) {
                return new Refusal(
                        Reason.GAP,
                        content + " waits for its predecessor: the last sequence stored is " + before.highest());
            }
            boolean late = decision == SequenceGuard.LATE;
            if (isIgnored(content) || (late && settings.late() == Late.DROP)) {
                count(Result.DROPPED, 1);
            } else if (late && settings.late() == Late.DEAD_LETTER) {
                return late(key, content, before.last());
            } else if (isRefused(content)) {
                return unknownType(content);
            } else {
                events.add(content.event());
                known.put(content.id(), content.event().origin());
                count(Result.RECEIVED, 1);
            }
            if (!late) {
                last.put(key, content.sequence());
                highest.merge(content.aggregate(), content.sequence(), Math::max);
                advanced.put(key, content.sequence());
            }
            return null;
        }

        void finish() {
            if (!refused.isEmpty()) {
                Set<UUID> stored = received.known(refused.keySet()).keySet();
                count(Result.DROPPED, stored.size());
                refused.keySet().removeAll(stored);
                Instant heldUntil = heldUntil();
                refused.forEach((id, incoming) -> {
                    Refusal refusal = Objects.requireNonNull(incoming.refusal());
                    events.add(event(id, incoming, refusal, refusal.reason() == Reason.GAP ? heldUntil : null));
                    count(refusal.reason().result(), 1);
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
        private @Nullable Instant heldUntil() {
            return settings.holdGaps() == null ? null : received.now().plus(settings.holdGaps());
        }

        private void count(Result result, long records) {
            if (records > 0) {
                results.merge(result, records, Long::sum);
            }
        }
    }
}
