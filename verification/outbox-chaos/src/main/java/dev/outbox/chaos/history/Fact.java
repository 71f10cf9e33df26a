package dev.outbox.chaos.history;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one process of a chaos run knows to have happened. {@code at} is {@link System#nanoTime()}, which the processes of one machine
 * share and no clock skew touches. {@code process} names one life of a process: a restarted one has another name.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "fact")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Fact.Subscribed.class, name = "subscribed"),
    @JsonSubTypes.Type(value = Fact.Intended.class, name = "intended"),
    @JsonSubTypes.Type(value = Fact.Published.class, name = "published"),
    @JsonSubTypes.Type(value = Fact.Scheduled.class, name = "scheduled"),
    @JsonSubTypes.Type(value = Fact.Withdrawn.class, name = "withdrawn"),
    @JsonSubTypes.Type(value = Fact.Completed.class, name = "completed"),
    @JsonSubTypes.Type(value = Fact.Started.class, name = "started"),
    @JsonSubTypes.Type(value = Fact.Ended.class, name = "ended"),
    @JsonSubTypes.Type(value = Fact.Fault.class, name = "fault"),
    @JsonSubTypes.Type(value = Fact.Operated.class, name = "operated"),
    @JsonSubTypes.Type(value = Fact.Overtaken.class, name = "overtaken")
})
public sealed interface Fact {

    /** Returns the moment, by {@link System#nanoTime()}. */
    long at();

    /**
     * A handler of a process is registered in the database: it must get every event of these types that is intended from now on. What
     * happened under an alias counts for the handler.
     */
    record Subscribed(
            long at, String process, String handler, Set<String> eventTypes, Set<String> aliases, boolean deduplicating)
            implements Fact {}

    /** A publisher is about to begin a transaction with these events. Transaction names are unique in a run. */
    record Intended(long at, String process, String transaction, List<IntendedEvent> events) implements Fact {}

    /**
     * An event that is to be published, and if {@code rolledBack}, after a savepoint to which its transaction will go back. The publisher
     * chooses its id.
     */
    record IntendedEvent(
            UUID eventId,
            String eventType,
            String aggregateType,
            String aggregateId,
            String payload,
            Map<String, String> headers,
            boolean rolledBack) {

        /** An event that shares the fate of its transaction. */
        public IntendedEvent(
                UUID eventId,
                String eventType,
                String aggregateType,
                String aggregateId,
                String payload,
                Map<String, String> headers) {
            this(eventId, eventType, aggregateType, aggregateId, payload, headers, false);
        }

        /** The same event with the id that the outbox chose. */
        public IntendedEvent withId(UUID chosen) {
            return new IntendedEvent(chosen, eventType, aggregateType, aggregateId, payload, headers, rolledBack);
        }
    }

    /** The publish call returned; the transaction is still open. */
    record Published(long at, String process, String transaction, UUID eventId, long sequence) implements Fact {}

    /**
     * The call that scheduled an event returned; the transaction is still open.
     *
     * @param event the event, with the id that the outbox chose
     * @param due the earliest moment at which it may be due: microseconds since 1970 by the clock of the database
     */
    record Scheduled(long at, String process, String transaction, IntendedEvent event, long due) implements Fact {}

    /**
     * A scheduled event was cancelled, or replaced by another one; the transaction is still open.
     *
     * @param replacement the id of the event that replaced it; {@code null} if it was cancelled
     */
    record Withdrawn(
            long at,
            String process,
            String transaction,
            UUID eventId,
            @Nullable UUID replacement) implements Fact {}

    /** The transaction ended. One without this fact is {@code UNKNOWN}. */
    record Completed(long at, String process, String transaction, Commit outcome) implements Fact {}

    /** Outcome of a transaction; {@code UNKNOWN} if the commit failed in a way that leaves it open. */
    enum Commit {
        COMMITTED,
        ABORTED,
        UNKNOWN
    }

    /** The body of a handler began. */
    record Started(
            long at,
            String process,
            String handler,
            UUID eventId,
            String aggregateType,
            String aggregateId,
            long sequence,
            int attempt,
            String payload,
            Map<String, String> headers,
            boolean replayed)
            implements Fact {}

    /** The body of a handler ended. A killed process leaves a start without an end. */
    record Ended(long at, String process, String handler, UUID eventId, int attempt, Outcome outcome) implements Fact {}

    /** Outcome of a handler's body; {@code INTERRUPTED} if its timeout or a shutdown interrupted it. */
    enum Outcome {
        SUCCEEDED,
        FAILED,
        INTERRUPTED
    }

    /**
     * The nemesis did something. {@code target} names a process (see {@code process}), or a server. A fault that takes no time has only a
     * beginning. {@code durableUntil} belongs to {@link Kind#FAILOVER_ASYNC} and {@link Kind#RESTORE}: the moment up to which every commit
     * is known to have been replicated or backed up; later commits may be lost.
     */
    record Fault(
            long at,
            Kind kind,
            String target,
            Phase phase,
            @Nullable Long durableUntil,
            String note) implements Fact {

        /** Says that a fault begins. */
        public static Fault begun(long at, Kind kind, String target, String note) {
            return new Fault(at, kind, target, Phase.BEGUN, null, note);
        }

        /** Says that a fault is over. */
        public static Fault ended(long at, Kind kind, String target, String note) {
            return new Fault(at, kind, target, Phase.ENDED, null, note);
        }
    }

    /** Whether a fault begins or is over. */
    enum Phase {
        BEGUN,
        ENDED
    }

    /** Kind of a fault. The fact of a beginning is written before the nemesis acts, that of an end after it has acted. */
    enum Kind {
        /** SIGKILL of the target process. */
        KILL,
        /** SIGSTOP of the target process until SIGCONT. */
        SUSPEND,
        /** The target process stops in order. */
        STOP,
        /** The server crashes, and forgets its last asynchronous commits. Ends when it answers again. */
        DATABASE_CRASH,
        /** An asynchronous standby takes over. Ends when it answers. */
        FAILOVER_ASYNC,
        /** A synchronous standby takes over; asynchronous commits may be lost. Ends when it answers. */
        FAILOVER_SYNC,
        /** An older base backup replaces the server. Ends when it answers. */
        RESTORE,
        /** Connections of the target process, or of all, are cut, delayed, or silently dropped, until the end. */
        CONNECTIONS_CUT,
        /**
         * Open connections of the target process neither answer nor end, and new ones work. Ends when they are reset, which may never
         * happen: the outbox has to recover from the beginning.
         */
        CONNECTIONS_FROZEN,
        /** {@code pg_terminate_backend} of connections of the target process, or of all. */
        BACKENDS_TERMINATED,
        /** The clock of the target process is wrong. */
        CLOCK_SKEW,
        /** All connections of the target's pool are taken. */
        POOL_EXHAUSTED,
        /** Rows or tables are locked. */
        LOCKS_HELD,
        /** A transaction with an old snapshot stays open. */
        SNAPSHOT_HELD,
        /** Handlers hang or take long. */
        HANDLERS_SLOW,
        /** Many handlers fail once, beside a backlog. */
        RETRY_STORM,
        /** A subscription of the target handler looks as if no instance had renewed it for almost as long as it lives. */
        SUBSCRIPTION_AGED,
        /** A Kafka broker is killed, or its clients are cut off from it, until the end. */
        BROKER_AWAY
    }

    /** An operator is about to do something with a delivery. */
    record Operated(long at, String operator, Operation kind, UUID eventId, String handler) implements Fact {}

    /**
     * The nemesis is about to remove records that an inbox has not read.
     *
     * @param handler the handler of the inbox
     * @param removed the events of these records
     * @param waiting the events of the later records that the inbox has not read either when an operator decides where it continues
     */
    record Overtaken(long at, String handler, Set<UUID> removed, Set<UUID> waiting) implements Fact {}

    /** What operators do with deliveries. */
    enum Operation {
        RETRY,
        SKIP
    }
}
