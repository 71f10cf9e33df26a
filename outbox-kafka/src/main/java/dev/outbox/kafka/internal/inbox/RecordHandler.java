package dev.outbox.kafka.internal.inbox;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxPublisher;
import dev.outbox.forwarding.internal.received.HeldRecords;
import dev.outbox.forwarding.internal.received.ReceivedStore;
import dev.outbox.forwarding.internal.received.ReceivedStore.Position;
import dev.outbox.forwarding.internal.received.ReceivedStore.Received;
import dev.outbox.forwarding.internal.received.SequenceGuard;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.Incoming.Content;
import dev.outbox.kafka.internal.inbox.Incoming.Refusal;
import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Handles records that were refused or held back, in a transaction: stores the event of a record that can be stored now, lets a record
 * wait for its predecessor, and makes every other a dead letter, which an operator retries or skips.
 */
public final class RecordHandler {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Inbox inbox;
    private final InboxSettings settings;
    private final ReceivedStore received;
    private final OutboxPublisher publisher;
    private final InboxTransaction work;
    private final HeldRecords held;

    RecordHandler(Inbox inbox, Inbox.Outbox outbox, InboxTransaction work) {
        this.inbox = inbox;
        this.settings = inbox.settings();
        this.received = outbox.received();
        this.publisher = outbox.publisher();
        this.work = work;
        this.held = new HeldRecords(inbox.name());
    }

    /** Handles a record of this inbox; those of others succeed without work. */
    public void handle(EventEnvelope envelope) {
        StoredRecord stored = StoredRecord.read(envelope.payload());
        if (!stored.inbox().equals(inbox.name()) && !settings.aliases().contains(stored.inbox())) {
            return;
        }
        if (!stored.complete()) {
            throw new NonRetryableException(
                    stored.message() + "; the record is too large to be kept here: read offset " + stored.offset()
                            + " of " + stored.topic() + "-" + stored.partition() + ", and skip this",
                    Causes.selfReported());
        }
        Incoming incoming = work.read(stored.record(), stored.topicId());
        Content content = incoming.content();
        if (incoming.refusal() != null) {
            throw refused(incoming.refusal());
        }
        if (content != null) {
            storeAgain(incoming.received(), content, stored, envelope);
        }
    }

    private void storeAgain(Received key, Content content, StoredRecord stored, EventEnvelope envelope) {
        Position position = received.lock(new TreeSet<>(Set.of(key))).getOrDefault(key, Position.NOTHING);
        var known = received.known(List.of(content.id()));
        if (known.containsKey(content.id())) {
            held.release(envelope.eventId());
            Refusal refusal = InboxTransaction.sameId(content, known.get(content.id()));
            if (refusal != null) {
                throw refused(refusal);
            }
            return;
        }
        SequenceGuard decision = work.decide(position, content);
        if (decision == SequenceGuard.HOLD) {
            requireRetriedOrWait(content, position.highest(), stored.heldUntil(), envelope);
        }
        held.release(envelope.eventId());
        if (!work.isIgnored(content)) {
            boolean ordered = stored.reason() == Reason.LATE || stored.reason() == Reason.GAP;
            if (decision == SequenceGuard.LATE && ordered && settings.late() != Late.ACCEPT && !isRetried(envelope)) {
                throw refused(InboxTransaction.late(key, content, position.last()));
            }
            if (work.isRefused(content)) {
                throw refused(InboxTransaction.unknownType(content));
            }
            publish(content);
        }
        received.advance(Map.of(key, content.sequence()));
    }

    private boolean isRetried(EventEnvelope envelope) {
        return received.isRetried(envelope.eventId(), inbox.handlerIds());
    }

    /** A retry of an operator means that the predecessor will not come. */
    private void requireRetriedOrWait(Content content, long last, @Nullable Instant heldUntil, EventEnvelope envelope) {
        if (isRetried(envelope)) {
            return;
        }
        Instant now = received.now();
        Instant until = heldUntil == null ? now : heldUntil;
        Duration rest = Duration.between(now, until);
        if (rest.compareTo(Duration.ZERO) > 0) {
            throw held.hold(
                    envelope.eventId(),
                    until,
                    now,
                    rest.compareTo(LONGEST_WAIT) < 0 ? rest : LONGEST_WAIT,
                    content + " waits for its predecessor: the last sequence stored is " + last);
        }
        held.release(envelope.eventId());
        throw new NonRetryableException(content + " has no predecessor: the last sequence stored is " + last
                + "; retry to store it without, or skip it");
    }

    private void publish(Content content) {
        try {
            publisher.publish(content.event());
        } catch (RuntimeException ex) {
            throw Inbox.isAboutEvent(ex) ? new NonRetryableException(Redaction.message(ex), ex) : ex;
        }
    }

    /** The inbox has reported the record when it stored it. */
    private static NonRetryableException refused(Refusal refusal) {
        return new NonRetryableException(refusal.message(), Causes.selfReported());
    }
}
