package dev.outbox.internal.absence;

import dev.outbox.internal.absence.Absent.Problem;
import dev.outbox.internal.absence.HandlerExpiryStore.Dead;
import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.internal.sql.Counted;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports deliveries that no running instance takes, dead-letters these when the registration of their handler or their subscription
 * expires, by age or by command, and deletes it.
 */
public final class HandlerExpiry {

    private static final Logger log = LoggerFactory.getLogger(HandlerExpiry.class);

    private static final int BATCH_SIZE = 500;

    /** The thread also writes the heartbeat of the instance. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(5);

    private static final Duration UNTIL_THE_END = Duration.ofDays(1);

    /** Only registrations that an operator expired are that old. */
    private static final Duration BY_COMMAND = Duration.ofDays(365_000);

    private final HandlerExpiryStore store;
    private Set<String> reported = Set.of();

    public HandlerExpiry(DataSource dataSource, OutboxSchema schema) {
        this.store = new HandlerExpiryStore(dataSource, schema);
    }

    /**
     * Reports the deliveries that no running instance takes, once for each handler, problem and stream, and returns whether there are any.
     * For use by one thread at a time.
     */
    public boolean report(LocalHandlers own) throws SQLException {
        List<Absent> found = store.absent();
        Map<String, List<Absent>> absent = found.stream()
                .filter(HandlerExpiry::waits)
                .collect(Collectors.groupingBy(HandlerExpiry::subject, LinkedHashMap::new, Collectors.toList()));
        absent.forEach((subject, kinds) -> {
            if (!reported.contains(subject)) {
                report(kinds, own);
            }
        });
        reported = Set.copyOf(absent.keySet());
        return !found.isEmpty();
    }

    /** What has expired becomes dead at once. */
    private static boolean waits(Absent absent) {
        return absent.problem() != Problem.NOT_SELECTED || absent.lastTaken() != null;
    }

    /** Returns the deliveries that no running instance takes. Thread-safe. */
    public List<Absent> untaken() throws SQLException {
        return store.absent().stream().filter(HandlerExpiry::waits).toList();
    }

    private static String subject(Absent absent) {
        String stream = absent.problem() == Problem.UNPOLLED ? absent.kind().stream() : "";
        return String.join("\n", absent.id(), absent.problem().name(), stream);
    }

    private static void report(List<Absent> kinds, LocalHandlers own) {
        String handlerId = kinds.get(0).id();
        String types =
                kinds.stream().map((one) -> one.kind().eventType()).distinct().collect(Collectors.joining(", "));
        Counted waiting = sum(kinds, Absent::waiting);
        switch (kinds.get(0).problem()) {
            case NOT_SELECTED -> reportNotSelected(handlerId, types, waiting, kinds, own);
            case UNPOLLED ->
                log.warn(
                        "Deliveries of {} in stream '{}' wait for handler '{}': {}. No running instance that has the handler polls the"
                                + " stream. Add the stream to outbox.poller.streams of the application that has the handler, or route these"
                                + " events to a stream that it polls",
                        types,
                        kinds.get(0).kind().stream(),
                        handlerId,
                        waiting);
            case ABSENT -> reportAbsent(handlerId, types, waiting, kinds, own);
        }
    }

    private static void reportNotSelected(
            String handlerId, String types, Counted waiting, List<Absent> kinds, LocalHandlers own) {
        Instant lastSeen = kinds.stream()
                .flatMap((kind) -> Stream.ofNullable(kind.lastTaken()))
                .min(Comparator.naturalOrder())
                .orElseThrow();
        String commands = kinds.stream()
                .flatMap((kind) -> kind.takenTypes().stream())
                .distinct()
                .map((type) ->
                        "OutboxOperations.expireSubscription(\"" + handlerId + "\", \"" + type + "\", actor, reason)")
                .collect(Collectors.joining(", "));
        log.warn(
                "No running instance handles {} in handler '{}' any more, and deliveries wait for it: {}. Later deliveries that the handler"
                        + " takes wait behind them: {}.{} If they are still to be handled, subscribe the handler again; else they become dead letters"
                        + " at {}, and the later ones continue. To end this at once: {}",
                types,
                handlerId,
                waiting,
                sum(kinds, Absent::behind),
                renamed(kinds, own),
                lastSeen.plus(HandlerStore.EXPIRE_SUBSCRIPTION_AFTER),
                commands);
    }

    /** Returns the annotation for a class that was renamed, with the only class that the handler takes since, or an empty text. */
    private static String renamed(List<Absent> kinds, LocalHandlers own) {
        List<String> former = kinds.stream()
                .filter((kind) -> kind.takenTypes().contains(kind.kind().eventType()))
                .map((kind) -> kind.kind().eventType())
                .distinct()
                .toList();
        if (former.isEmpty()) {
            return "";
        }
        List<Class<?>> candidates = kinds.stream()
                .flatMap((kind) -> kind.newTypes().stream())
                .distinct()
                .<Class<?>>mapMulti((type, classes) -> {
                    Class<?> payloadClass = own.payloadClassOf(type);
                    if (payloadClass != null) {
                        classes.accept(payloadClass);
                    }
                })
                .toList();
        return " If the class was renamed, put %s on %s."
                .formatted(
                        former.stream().map("@EventType(\"%s\")"::formatted).collect(Collectors.joining(" or ")),
                        former.size() == 1 && candidates.size() == 1
                                ? candidates.get(0).getSimpleName()
                                : "the new one");
    }

    private static void reportAbsent(
            String handlerId, String types, Counted waiting, List<Absent> kinds, LocalHandlers own) {
        Instant lastSeen = kinds.get(0).lastSeen();
        log.warn(
                "No running instance has handler '{}'{}, and deliveries of {} wait for it: {}. If it was renamed, add its former id to the"
                        + " new handler: @OutboxHandler(id = \"{}\", aliases = \"{}\"). If it was removed, expire it:"
                        + " OutboxOperations.expireHandler(\"{}\", actor, reason).{}",
                handlerId,
                lastSeen == null ? "" : " (last heartbeat " + lastSeen + ")",
                types,
                waiting,
                successor(kinds, own),
                handlerId,
                handlerId,
                lastSeen == null
                        ? ""
                        : " Otherwise its deliveries become dead letters from "
                                + lastSeen.plus(HandlerStore.EXPIRE_AFTER) + " on");
    }

    private static Counted sum(List<Absent> kinds, Function<Absent, Counted> count) {
        return kinds.stream().map(count).reduce(Counted.NONE, Counted::plus);
    }

    /** Returns the only handler of this instance that takes the events, or a placeholder. */
    private static String successor(List<Absent> absent, LocalHandlers own) {
        List<String> candidates = own.subscriptions().entrySet().stream()
                .filter((handler) -> absent.stream()
                        .allMatch((one) -> handler.getValue().stream().anyMatch((taken) -> taken.takes(one.kind()))))
                .map(Map.Entry::getKey)
                .toList();
        return candidates.size() == 1 ? candidates.get(0) : "its new id";
    }

    /** Expires the subscriptions that no instance has renewed for 15 minutes although instances run their handlers; returns whether any did. */
    public boolean expireSubscriptions() throws SQLException {
        if (store.untilSubscriptionExpires().filter(HandlerExpiry::isOver).isEmpty()) {
            return false;
        }
        Map<String, String> expired = store.expireUnrenewed();
        expired.forEach((handlerId, types) -> log.info(
                "Handler '{}' does not take {} any more: no instance has renewed the subscription for {} min",
                handlerId,
                types,
                HandlerStore.EXPIRE_SUBSCRIPTION_AFTER.toMinutes()));
        return !expired.isEmpty();
    }

    private static boolean isOver(Duration until) {
        return until.isZero() || until.isNegative();
    }

    /** Returns the time until the next of these subscriptions expires; empty if instances renew all. */
    public Optional<Duration> untilSubscriptionExpires() throws SQLException {
        return store.untilSubscriptionExpires();
    }

    /**
     * Ends the registrations that no instance has renewed for a time, and what a crash has left of those that expired otherwise, for a few
     * seconds at most. Returns whether it has dead-lettered deliveries, so that their lanes continue, and more may be left.
     */
    public boolean runOnce() throws SQLException {
        return end(HandlerStore.EXPIRE_AFTER, LONGEST_TURN, HandlerExpiry::reportDead);
    }

    private static void reportDead(Dead dead) {
        if (dead.code().equals("NOT_SELECTED")) {
            log.error(
                    "Dead-lettered {} deliveries of handler '{}': no running version of the handler takes these events any more. Retry them"
                            + " when one does, or skip them",
                    dead.count(),
                    dead.handlerId());
            return;
        }
        log.error(
                "Dead-lettered {} deliveries of handler '{}', whose registration has expired: no running instance has had the"
                        + " handler for {} h, or an operator expired it; retry or skip them",
                dead.count(),
                dead.handlerId(),
                HandlerStore.EXPIRE_AFTER.toHours());
    }

    /** Expires the registration of a handler whatever its age, and ends it, unless an instance or another handler has its id. Thread-safe. */
    public Expired expire(String handlerId, AuditInfo audit) throws SQLException {
        Expired expired = store.expire(handlerId, audit);
        return expired.known() && expired.instance() == null && expired.successor() == null
                ? expired.withDead(endByCommand(handlerId))
                : expired;
    }

    /**
     * Expires the subscriptions of a handler to an event type whatever their age, and ends them, unless a running instance has one.
     * Thread-safe.
     */
    public Expired.OfSubscription expireSubscription(String handlerId, String eventType, AuditInfo audit)
            throws SQLException {
        Expired.OfSubscription expired = store.expireSubscription(handlerId, eventType, audit);
        return expired.known() && (!expired.renewed() || expired.changed())
                ? expired.withDead(endByCommand(handlerId))
                : expired;
    }

    /** Returns how many deliveries of the handler became dead letters. */
    private long endByCommand(String handlerId) throws SQLException {
        LongAdder dead = new LongAdder();
        end(BY_COMMAND, UNTIL_THE_END, (one) -> {
            if (one.handlerId().equals(handlerId)) {
                dead.add(one.count());
            } else {
                reportDead(one);
            }
        });
        return dead.sum();
    }

    private boolean end(Duration unseenFor, Duration longest, Consumer<Dead> listener) throws SQLException {
        FaultPoint.BEFORE_HANDLER_EXPIRY.reached();
        long begun = System.nanoTime();
        List<Dead> dead = store.deadLetter(unseenFor, BATCH_SIZE);
        boolean any = !dead.isEmpty();
        while (!dead.isEmpty()) {
            dead.forEach(listener);
            boolean isOver = System.nanoTime() - begun > longest.toNanos();
            dead = isOver ? List.of() : store.deadLetter(unseenFor, BATCH_SIZE);
        }
        FaultPoint.BEFORE_REGISTRATION_REMOVAL.reached();
        store.deleteExpired(unseenFor);
        FaultPoint.AFTER_REGISTRATION_REMOVAL.reached();
        return any;
    }
}
