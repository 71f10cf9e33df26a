package dev.outbox.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds, retries and skips deliveries, pauses handlers and streams, resumes inboxes,
 * expires handlers that were removed, and erases events. Works in every
 * process that uses the outbox's tables, whether its own pollers run or not. Thread-safe.
 *
 * <p>Each call takes a connection of the pool and runs in its own transactions. It neither joins nor affects a transaction of the calling
 * thread: rolling that transaction back does not undo the call.
 *
 * <p>Every method throws {@link InvalidOperationException} before any SQL runs if an argument breaks a rule, and a
 * {@link org.springframework.dao.DataAccessException} if the database refuses a statement or cannot be reached.
 */
public interface OutboxOperations {

    /**
     * Outcome of {@link #retry} and {@link #skip}.
     *
     * @param affected how many deliveries were reset, as if they had never failed, or removed
     * @param busy how many were left unchanged because a worker attempts them at the moment, or another transaction has locked them or
     *     their event; repeat the call later if they fail
     */
    record Changed(int affected, int busy) {}

    /** Where {@link #resumeInbox} continues. */
    enum InboxStart {
        /** At the first record of each stopped partition. What Kafka removed before it stays lost; events that are stored are dropped. */
        EARLIEST,
        /** Behind the last record that each stopped partition has when its consumer applies the decision. */
        LATEST
    }

    /**
     * Deliveries of one event type and stream that no running instance takes. Later deliveries of their aggregates wait behind them.
     *
     * @param handlerId the handler: the id that is stored with the deliveries
     * @param problem why no instance takes them
     * @param eventType their event type
     * @param stream their stream
     * @param waiting how many wait, up to {@link Count#MOST_OF_EACH}
     * @param behind how many later deliveries that the handler takes wait behind them; counted only for {@link Problem#NOT_SELECTED}
     * @param lastSeenAt the last heartbeat of the subscriptions that take them, or of the handler if it is {@link Problem#ABSENT};
     *     {@code null} if that is not known
     * @param subscriptions the event types of the subscriptions that take them, for {@link #expireSubscription}
     */
    record Untaken(
            String handlerId,
            Problem problem,
            String eventType,
            String stream,
            Count waiting,
            Count behind,
            @Nullable Instant lastSeenAt,
            Set<String> subscriptions) {

        /** Why no running instance takes deliveries. */
        public enum Problem {
            /** None has the handler. */
            ABSENT,
            /** Those that have the handler do not subscribe it to such events any more. */
            NOT_SELECTED,
            /** None that has the handler polls the stream. */
            UNPOLLED
        }
    }

    /**
     * What {@link #erase} would find.
     *
     * @param events how many events, archived and scheduled ones included; inexact if a second was too short to read history and archive,
     *     and of event ids, how many were named
     * @param undelivered how many of them are scheduled, in the queue, or have an open or dead delivery
     */
    record Erasable(Count events, Count undelivered) {}

    /**
     * Outcome of {@link #erase}.
     *
     * @param erased how many events were erased, archived ones included
     * @param remaining how many keep their content, because they are not delivered, or a worker holds them at the moment; repeat the call
     * @param notReached where copies of the content may be that the outbox cannot erase
     */
    record Erased(long erased, Count remaining, List<String> notReached) {

        /**
         * Creates an outcome that names what no erasure reaches. Not for applications.
         *
         * @param erased how many events were erased
         * @param remaining how many keep their content
         * @return the outcome
         */
        public static Erased of(long erased, Count remaining) {
            return new Erased(
                    erased,
                    remaining,
                    List.of(
                            "topics that the events were forwarded to",
                            "tables and systems that handlers have written to",
                            "logs, backups, the WAL, and row versions that VACUUM has not removed yet",
                            "ids of aggregates and events, and reasons that operators gave",
                            "errors in the operation log whose events retention has deleted; name these by their event ids",
                            "records that a Kafka inbox refused or holds back, which are events of the aggregate type"
                                    + " outbox.KafkaRecord; name these by their event ids"));
        }
    }

    /**
     * Finds deliveries that are due, wait in their lane, or are dead, oldest event first. To get the next page, pass the last delivery of
     * this page to {@link DeliverySelection#after}.
     *
     * @param selection which deliveries
     * @param limit the largest number of deliveries to return; at least 1
     * @return the deliveries
     * @throws InvalidOperationException also if the database needs longer than 5 s, because no index serves the selection
     */
    List<Delivery> find(DeliverySelection selection, int limit);

    /**
     * Counts deliveries that are due, wait in their lane, or are dead, up to {@link Count#MOST}.
     *
     * @param selection which deliveries
     * @return the number of deliveries
     * @throws InvalidOperationException also if the database needs longer than 5 s, because no index serves the selection
     */
    Count count(DeliverySelection selection);

    /**
     * Resets deliveries as if they had never failed: one delivery, a selection, or whole lanes.
     *
     * <p>A dead delivery re-enters its lane in the order of its aggregate. As the head of the lane it is due immediately, and a later head
     * that is backing off waits behind it. Elsewhere in the lane it waits for its turn, also behind a dead delivery that blocks the lane.
     * A delivery that is backing off becomes due immediately. A delivery without failures stays as it is and is not counted.
     *
     * <p>If the lane has continued past a dead delivery, the handler receives that event after later ones of its aggregate.
     *
     * <p>The call processes the deliveries that exist when it begins, in order, in transactions of 500. If it fails, the committed
     * transactions stay.
     *
     * @param selection which deliveries; must name at least one criterion
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return the outcome
     * @throws InvalidOperationException also if the database needs longer than 5 s for a batch, because no index serves the selection
     */
    Changed retry(DeliverySelection selection, String by, String reason);

    /**
     * Removes deliveries for good, dead or not: one delivery, a selection, or whole lanes. Their handlers do not receive them again, the
     * next delivery of each lane becomes its head, and an event without further deliveries becomes published.
     *
     * <p>The call processes the deliveries that exist when it begins, in order, in transactions of 500. If it fails, the committed
     * transactions stay.
     *
     * @param selection which deliveries; must name at least one criterion
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return the outcome
     * @throws InvalidOperationException also if the database needs longer than 5 s for a batch, because no index serves the selection
     */
    Changed skip(DeliverySelection selection, String by, String reason);

    /**
     * Pauses a handler in every process until it is resumed, also across restarts. Each process stops delivering to it with its next claim;
     * running invocations finish. Deliveries to the handler queue up in their lanes. Other handlers are not affected.
     *
     * @param handlerId the handler's current or former id
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call paused the handler, or took the end from its pause; {@code false} if it was paused without an end
     *     already, and then nothing is recorded
     * @throws InvalidOperationException also if no process has ever registered the handler
     */
    boolean pauseHandler(String handlerId, String by, String reason);

    /**
     * Pauses a handler as {@link #pauseHandler(String, String, String)} does, but ends the pause after some time, by the clock of the
     * database. No process has to run at the end. If the handler is paused already, the new end replaces the end that it had or lacked.
     *
     * @param handlerId the handler's current or former id
     * @param duration how long the pause lasts, from now; at least a second and at most 365 days
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true}: each call sets an end, and records it
     * @throws InvalidOperationException also if no process has ever registered the handler
     */
    boolean pauseHandler(String handlerId, Duration duration, String by, String reason);

    /**
     * Pauses a handler before the first process registers it, so that it starts without receiving events. Use this to
     * {@linkplain Replays replay} past events to a new handler before it receives current ones. If the handler is already registered, the
     * call does the same as {@link #pauseHandler}. A mistyped id stays in the registry for good.
     *
     * @param handlerId the id that the new handler will have
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call paused the handler, or took the end from its pause; {@code false} if it was paused without an end
     *     already, and then nothing is recorded
     */
    boolean pauseNewHandler(String handlerId, String by, String reason);

    /**
     * Resumes a handler. The deliveries that have queued up become due immediately, in order.
     *
     * @param handlerId the handler's current or former id
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call resumed the handler; {@code false} if it was not paused, or its pause was over, and then nothing is recorded
     * @throws InvalidOperationException also if no process has ever registered the handler
     */
    boolean resumeHandler(String handlerId, String by, String reason);

    /**
     * Expires the registration of a handler that was removed from the application, instead of waiting for
     * 7 days without a heartbeat. No further events are queued for the handler, and its pending deliveries become dead letters
     * with the code {@code HANDLER_EXPIRED}, which can be retried or skipped. A handler that was renamed needs an alias instead.
     *
     * <p>The expiry is committed durably first, then the deliveries change in transactions of 500. If the process dies in between, another
     * instance continues within a minute. If an instance with the handler starts later, it registers the handler again. So may an instance
     * that sees the database restart before it has read the expiry, because it restores what a crash of the database could have taken: the
     * warning returns, and the call can be repeated.
     *
     * @param handlerId the id under which the deliveries wait
     * @param actor the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call expired the registration; {@code false} if it had expired already, and then nothing is recorded
     * @throws InvalidOperationException also with the reason {@link InvalidOperationException.Reason#HANDLER_PRESENT} if a running instance
     *     has the handler under this id or as an alias, with {@link InvalidOperationException.Reason#HANDLER_RENAMED} if another registered
     *     handler has this id as an alias, and with {@link InvalidOperationException.Reason#UNKNOWN_HANDLER} if no process has ever registered
     *     it
     */
    boolean expireHandler(String handlerId, String actor, String reason);

    /**
     * Finds the deliveries that no running instance takes: ten minutes after the last heartbeat of a version that takes them, or at once if
     * the handler was renamed.
     *
     * @return the deliveries, in the order of their handlers, problems, streams and event types
     */
    List<Untaken> untaken();

    /**
     * Ends the subscriptions of a handler to an event type that only versions have which do not run any more, instead of waiting until no
     * instance has renewed them for 15 minutes: after a release that takes fewer events, or the rollback of one that takes more. Deliveries
     * that no other subscription takes become dead letters with the code {@code NOT_SELECTED}, which never block, and the later deliveries
     * of their aggregates continue. Retry the dead letters when a version that takes them runs again.
     *
     * <p>The expiry is committed durably first, then the deliveries change in transactions of 500. If the process dies in between, another
     * instance continues within a minute.
     *
     * @param handlerId the handler's current or former id
     * @param eventType the event type of the subscriptions, as the handler names it: {@code "*"} ends those to all types
     * @param actor the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call ended a subscription; {@code false} if the handler has none to the event type, and then nothing is
     *     recorded
     * @throws InvalidOperationException also with the reason {@link InvalidOperationException.Reason#SUBSCRIPTION_PRESENT} if running
     *     instances have every such subscription, or had it less than 2 minutes ago, and with
     *     {@link InvalidOperationException.Reason#UNKNOWN_HANDLER} if no process has registered the handler
     */
    boolean expireSubscription(String handlerId, String eventType, String actor, String reason);

    /**
     * Pauses a stream in every process until it is resumed: no process claims its events, neither first deliveries nor redeliveries.
     * Publishing into the stream still works.
     *
     * @param stream the stream
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call paused the stream, or took the end from its pause; {@code false} if it was paused without an end
     *     already, and then nothing is recorded
     * @throws InvalidOperationException also if no process has ever polled the stream
     */
    boolean pauseStream(String stream, String by, String reason);

    /**
     * Pauses a stream as {@link #pauseStream(String, String, String)} does, but ends the pause after some time, by the clock of the
     * database. No process has to run at the end. If the stream is paused already, the new end replaces the end that it had or lacked.
     *
     * @param stream the stream
     * @param duration how long the pause lasts, from now; at least a second and at most 365 days
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true}: each call sets an end, and records it
     * @throws InvalidOperationException also if no process has ever polled the stream
     */
    boolean pauseStream(String stream, Duration duration, String by, String reason);

    /**
     * Resumes a stream.
     *
     * @param stream the stream
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @return {@code true} if the call resumed the stream; {@code false} if it was not paused, or its pause was over, and then nothing is recorded
     * @throws InvalidOperationException also if no process has ever polled the stream
     */
    boolean resumeStream(String stream, String by, String reason);

    /**
     * Decides where the stopped partitions of a Kafka inbox continue. An inbox stops a partition if Kafka no longer has the records that
     * come next. Its consumer applies the decision within seconds, or when an instance with the inbox starts. Partitions that stop later
     * need another decision.
     *
     * @param inbox the inbox's current or former name
     * @param at where its stopped partitions continue
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters
     * @throws InvalidOperationException also with the reason {@link InvalidOperationException.Reason#UNKNOWN_HANDLER} if no process has
     *     ever registered the inbox
     */
    void resumeInbox(String inbox, InboxStart at, String by, String reason);

    /**
     * Counts the events of an erasure before it, and changes nothing.
     *
     * @param erasure which events
     * @return the counts
     * @throws dev.outbox.OutboxConfigurationException if the role of the database may not read what an eraser reads
     */
    Erasable countErasable(Erasure erasure);

    /**
     * Erases the payloads, headers and error texts of events, for good: in the outbox, its history, the archive and the operation log. Their
     * types, ids, times and error codes stay. Replays leave erased events out.
     *
     * <p>The events of an aggregate are searched in the whole history and archive, 10,000 rows at a time, and erased in transactions of
     * 500. If the call fails or the process dies, the committed transactions stay, and another call continues. An event that is published
     * while the call runs may remain: end that first. No event is erased while a worker holds it.
     *
     * @param erasure which events, and what becomes of those that are not delivered yet
     * @param by the operator; at most 255 characters
     * @param reason the reason, for the operation log; at most 2000 characters; without personal data
     * @return the outcome
     * @throws InvalidOperationException also with the reason {@link InvalidOperationException.Reason#UNDELIVERED}
     * @throws dev.outbox.OutboxConfigurationException if the role of the database lacks what {@code dev/outbox/grants.sql} gives to an eraser
     */
    Erased erase(Erasure erasure, String by, String reason);

    /**
     * Reads the operation log, latest operation first. To get the next page, pass the last operation of this page
     * to {@link OperationSelection#olderThan}.
     *
     * @param selection which operations
     * @param limit the largest number of operations to return; at least 1
     * @return the operations
     */
    List<Operation> operations(OperationSelection selection, int limit);

    /**
     * Reads the operation log by command, latest command first: a retry of 1,000 deliveries is one. To get the next page, pass
     * {@link Operation.Command#id} of the last command of this page to {@link OperationSelection#olderThan}.
     *
     * @param selection which commands: the times and the operator are those of the first operation; of an event, each operation is one
     * @param limit the largest number of commands to return; at least 1
     * @return the commands
     */
    List<Operation.Command> commands(OperationSelection selection, int limit);
}
