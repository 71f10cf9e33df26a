package dev.outbox.operations.internal.operate;

import dev.outbox.internal.absence.HandlerExpiry;
import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.DeliveryRef;
import dev.outbox.internal.notify.WakeUp;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.HandlerStore.Paused;
import dev.outbox.internal.registry.Pause;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replay;
import dev.outbox.operations.internal.erase.Eraser;
import dev.outbox.operations.internal.inspect.OperationLogStore;
import dev.outbox.operations.internal.inspect.OperatorRequest;
import dev.outbox.operations.internal.operate.OperationStore.Action;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the operations on the outbox tables and logs each change. */
public final class JdbcOperations implements OutboxOperations {

    private static final Logger log = LoggerFactory.getLogger(JdbcOperations.class);

    /** Prefix of the ids of the handlers of inboxes, which register themselves like all others. */
    public static final String INBOX_HANDLER = "kafka-inbox-";

    /** Prefix of the actions that consumers of inboxes read in the operation log. */
    public static final String RESUME_INBOX = "RESUME_INBOX_";

    private static final int BATCH_SIZE = 500;

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofDays(365);

    private final DeliveryQueryStore deliveries;
    private final OperationStore changes;
    private final OperationLogStore records;
    private final HandlerStore handlers;
    private final PauseStore pauses;
    private final ExpiryCommands expiries;
    private final Eraser eraser;
    private final Consumer<WakeUp> wake;

    /** Notifies the listener of what is skipped. */
    public JdbcOperations(
            DataSource dataSource,
            OutboxSchema schema,
            OutboxSchema archive,
            OutboxListener listener,
            Consumer<WakeUp> wake) {
        this.deliveries = new DeliveryQueryStore(dataSource, schema);
        this.changes = new OperationStore(dataSource, schema, listener);
        this.records = new OperationLogStore(dataSource, schema);
        this.handlers = new HandlerStore(dataSource, schema);
        this.pauses = new PauseStore(dataSource, schema);
        this.expiries = new ExpiryCommands(new HandlerExpiry(dataSource, schema));
        this.eraser = new Eraser(dataSource, schema, archive);
        this.wake = wake;
    }

    @Override
    public List<Delivery> find(DeliverySelection selection, int limit) {
        OperatorRequest.check(limit);
        return search("find deliveries", selection, () -> deliveries.find(selection, limit));
    }

    @Override
    public Count count(DeliverySelection selection) {
        return search("count deliveries", selection, () -> deliveries.count(selection));
    }

    private static <T> T search(String task, DeliverySelection selection, OperatorRequest.Work<T> work) {
        return OperatorRequest.search(
                task,
                selection,
                "an event id, an aggregate with its type and id, or a stream with a handler id and a status",
                work);
    }

    @Override
    public Changed retry(DeliverySelection selection, String by, String reason) {
        return change(Action.RETRY, "retried", selection, OperatorRequest.check(selection, by, reason));
    }

    @Override
    public Changed skip(DeliverySelection selection, String by, String reason) {
        return change(Action.SKIP, "skipped", selection, OperatorRequest.check(selection, by, reason));
    }

    private Changed change(Action action, String done, DeliverySelection selection, AuditInfo audit) {
        String task = action.name().toLowerCase(Locale.ROOT) + " deliveries";
        Changed changed = search(task, selection, () -> changeAll(action, selection, numbered(audit)));
        log.info("{} deliveries {} by {}, {} busy", changed.affected(), done, audit.actor(), changed.busy());
        return changed;
    }

    private AuditInfo numbered(AuditInfo audit) throws SQLException {
        return audit.asCommand(records.nextCommand());
    }

    /** Changes the deliveries that exist now. */
    private Changed changeAll(Action action, DeliverySelection selection, AuditInfo audit) throws SQLException {
        OperationStore.Request request = new OperationStore.Request(action, selection.statuses(), null, audit);
        return changeBatches(request, selection, deliveries.newest());
    }

    /** Changes deliveries up to an event, oldest first, with one transaction for each batch. */
    private Changed changeBatches(OperationStore.Request request, DeliverySelection selection, long newest)
            throws SQLException {
        int affected = 0;
        int busy = 0;
        DeliverySelection rest = selection;
        List<DeliveryRef> batch;
        do {
            batch = deliveries.find(rest, request.action(), newest, request.untouchedSince(), BATCH_SIZE);
            if (!batch.isEmpty()) {
                Changed changed = changes.change(request, batch, null);
                affected += changed.affected();
                busy += changed.busy();
                wake(batch);
                DeliveryRef last = batch.get(batch.size() - 1);
                rest = rest.after(last.outboxId(), last.handlerId());
            }
        } while (batch.size() == BATCH_SIZE);
        return new Changed(affected, busy);
    }

    private void wake(List<DeliveryRef> batch) {
        batch.stream().map(DeliveryRef::stream).distinct().map(WakeUp::of).forEach(wake);
    }

    /** Counts the deliveries that a bulk would change; returns {@code null} if that takes too long. */
    public @Nullable Long countChangeable(Replay.Kind kind, DeliverySelection selection) throws SQLException {
        try {
            return deliveries.countChangeable(selection, Action.valueOf(kind.name()));
        } catch (SQLException ex) {
            if (Causes.isTooLong(ex)) {
                log.debug("The deliveries of {} were not counted in time", selection, ex);
                return null;
            }
            throw ex;
        }
    }

    /** Changes the next deliveries of a bulk, and notes in the same transaction how far it is, unless another process was faster. */
    public void advance(Replay bulk, DeliverySelection selection, long afterId, long upToId, int limit)
            throws SQLException {
        Action action = Action.valueOf(bulk.kind().name());
        DeliverySelection.Place first = selection.range().after();
        DeliverySelection rest = first != null && afterId < first.id()
                ? selection
                : selection.after(afterId, bulk.request().handlerId());
        long reach = deliveries.reach(selection, afterId, upToId);
        Replay.Origin origin = bulk.origin();
        List<DeliveryRef> batch = deliveries.find(rest, action, reach, origin.at(), limit);
        long readId = batch.size() < limit ? reach : batch.get(limit - 1).outboxId();
        AuditInfo audit = new AuditInfo(origin.by(), origin.reason());
        FaultPoint.BEFORE_REPLAY_PAGE.reached();
        changes.change(
                new OperationStore.Request(action, selection.statuses(), origin.at(), audit),
                batch,
                new OperationStore.Page(bulk.id(), afterId, readId));
        FaultPoint.AFTER_REPLAY_PAGE.reached();
        wake(batch);
    }

    /** Skips the dead letters that died before a time, with one transaction for each batch, and records each. Leaves out those that are locked. */
    public void expireDeadLetters(Instant diedBefore, AuditInfo audit) throws SQLException {
        DeliverySelection dead = DeliverySelection.all().withStatus(DeliveryStatus.DEAD);
        OperationStore.Request request =
                new OperationStore.Request(Action.SKIP, dead.statuses(), diedBefore, numbered(audit));
        long newest = deliveries.newest();
        int skipped = 0;
        long reach = 0;
        while (reach < newest) {
            // Handler ids in ASCII come before it: the event that ended the last window is done.
            DeliverySelection rest = dead.after(reach, "~");
            reach = deliveries.reach(dead, reach, newest);
            skipped += changeBatches(request, rest, reach).affected();
        }
        if (skipped > 0) {
            log.warn("Skipped {} dead letters that died before {}; the operation log lists them", skipped, diedBefore);
        }
    }

    @Override
    public boolean pauseHandler(String handlerId, String by, String reason) {
        return setHandler("pause a handler", handlerId, Pause.UNTIL_RESUMED, false, by, reason);
    }

    @Override
    public boolean pauseHandler(String handlerId, Duration duration, String by, String reason) {
        return setHandler("pause a handler", handlerId, lasting(duration), false, by, reason);
    }

    @Override
    public boolean pauseNewHandler(String handlerId, String by, String reason) {
        return setHandler("pause a new handler", handlerId, Pause.UNTIL_RESUMED, true, by, reason);
    }

    @Override
    public boolean resumeHandler(String handlerId, String by, String reason) {
        return setHandler("resume a handler", handlerId, Pause.RESUME, false, by, reason);
    }

    private boolean setHandler(String task, String handlerId, Pause pause, boolean add, String by, String reason) {
        AuditInfo audit = OperatorRequest.check("handler id", handlerId, by, reason);
        Paused result = OperatorRequest.run(task, () -> handlers.setPaused(handlerId, pause, add, audit))
                .orElseThrow(() -> new InvalidOperationException(
                        Reason.UNKNOWN_HANDLER, "no instance has registered a handler '" + handlerId + "'", null));
        return finish("handler " + handlerId, pause, audit, result);
    }

    @Override
    public void resumeInbox(String inbox, InboxStart at, String by, String reason) {
        AuditInfo audit = OperatorRequest.check("name of the inbox", inbox, by, reason);
        if (!OperatorRequest.run(
                "resume an inbox", () -> pauses.resumeInbox(INBOX_HANDLER + inbox, at.name(), audit))) {
            throw new InvalidOperationException(
                    Reason.UNKNOWN_HANDLER, "no instance has registered an inbox '" + inbox + "'", null);
        }
        log.info("inbox {} resumed at {} by {}", inbox, at, audit.actor());
    }

    @Override
    public boolean expireHandler(String handlerId, String actor, String reason) {
        AuditInfo audit = OperatorRequest.check("handler id", handlerId, actor, reason);
        boolean expired = OperatorRequest.run("expire a handler", () -> expiries.expire(handlerId, audit));
        wake.accept(WakeUp.EVERYTHING);
        return expired;
    }

    @Override
    public List<Untaken> untaken() {
        return OperatorRequest.run("find deliveries that no instance takes", expiries::untaken);
    }

    @Override
    public boolean expireSubscription(String handlerId, String eventType, String actor, String reason) {
        AuditInfo audit = OperatorRequest.check("handler id", handlerId, actor, reason);
        OperatorRequest.checkName("event type", eventType);
        boolean expired = OperatorRequest.run(
                "expire a subscription", () -> expiries.expireSubscription(handlerId, eventType, audit));
        wake.accept(WakeUp.EVERYTHING);
        return expired;
    }

    @Override
    public Erasable countErasable(Erasure erasure) {
        return OperatorRequest.run(
                "count the events of an erasure", OperatorRequest.GRANT_ERASURE, () -> eraser.count(erasure));
    }

    @Override
    public Erased erase(Erasure erasure, String by, String reason) {
        AuditInfo audit = OperatorRequest.check(by, reason);
        Erased erased = OperatorRequest.run("erase events", OperatorRequest.GRANT_ERASURE, () -> {
            eraser.check(erasure, audit);
            if (erasure.undelivered() == Erasure.Undelivered.WITHDRAW) {
                skipAll(erasure, numbered(audit));
            }
            return eraser.erase(erasure, audit);
        });
        log.info("{} events erased by {}, {} remain", erased.erased(), by, erased.remaining());
        return erased;
    }

    private void skipAll(Erasure erasure, AuditInfo audit) throws SQLException {
        DeliverySelection all = DeliverySelection.all();
        String type = erasure.aggregateType();
        changeAll(
                Action.SKIP,
                type == null ? all.ofEvents(erasure.eventIds()) : all.ofAggregate(type, erasure.aggregateId()),
                audit);
    }

    @Override
    public boolean pauseStream(String stream, String by, String reason) {
        return setStream("pause a stream", stream, Pause.UNTIL_RESUMED, by, reason);
    }

    @Override
    public boolean pauseStream(String stream, Duration duration, String by, String reason) {
        return setStream("pause a stream", stream, lasting(duration), by, reason);
    }

    @Override
    public boolean resumeStream(String stream, String by, String reason) {
        return setStream("resume a stream", stream, Pause.RESUME, by, reason);
    }

    private boolean setStream(String task, String stream, Pause pause, String by, String reason) {
        AuditInfo audit = OperatorRequest.check("stream", stream, by, reason);
        Paused result = OperatorRequest.run(task, () -> pauses.setStream(stream, pause, audit))
                .orElseThrow(() -> new InvalidOperationException("no instance has polled a stream '" + stream + "'"));
        return finish("stream " + stream, pause, audit, result);
    }

    private static Pause lasting(Duration duration) {
        if (duration.compareTo(SHORTEST_PAUSE) < 0 || duration.compareTo(LONGEST_PAUSE) > 0) {
            throw new InvalidOperationException("a pause lasts between a second and " + LONGEST_PAUSE.toDays()
                    + " days, or without a duration until it is resumed, not " + duration);
        }
        return new Pause(duration);
    }

    /** Wakes pollers for what waited, and for the end of a pause, which they would not look up while they rest. */
    private boolean finish(String subject, Pause pause, AuditInfo audit, Paused result) {
        if (result.changed()) {
            Duration duration = pause.duration();
            log.info(
                    "{} {}{} by {}",
                    subject,
                    pause.resumes() ? "resumed" : "paused",
                    duration == null || pause.resumes() ? "" : " for " + duration,
                    audit.actor());
            if (duration != null) {
                result.streams().stream().map(WakeUp::of).forEach(wake);
                wake.accept(WakeUp.SCHEDULED);
            }
        }
        return result.changed();
    }

    @Override
    public List<Operation> operations(OperationSelection selection, int limit) {
        OperatorRequest.check(limit);
        return OperatorRequest.run("find operations", () -> records.find(selection, limit));
    }

    @Override
    public List<Operation.Command> commands(OperationSelection selection, int limit) {
        OperatorRequest.check(limit);
        return OperatorRequest.run("find commands", () -> records.commands(selection, limit));
    }
}
