package dev.outbox.internal.maintenance;

import dev.outbox.internal.delivery.Subscription;
import dev.outbox.internal.dispatch.HandlerRegistry;
import dev.outbox.internal.store.AbsentHandlerStore;
import dev.outbox.internal.store.AbsentHandlerStore.Absent;
import dev.outbox.internal.store.EventTypeStore;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns once of each handler that no running instance has, and of event types that are probably mistyped. For use by one thread at a time. */
public final class RegistryReport {

    private static final Logger log = LoggerFactory.getLogger(RegistryReport.class);

    private final AbsentHandlerStore handlers;
    private final EventTypeStore types;
    private final HandlerRegistry registry;
    private final Set<String> reported = new HashSet<>();
    private boolean typesReported;

    public RegistryReport(AbsentHandlerStore handlers, EventTypeStore types, HandlerRegistry registry) {
        this.handlers = handlers;
        this.types = types;
        this.registry = registry;
    }

    /** Writes the warnings that are new. A failure of the database disturbs nothing: the next call tries again. */
    public void write() {
        try {
            reportHandlers();
            reportTypes();
        } catch (SQLException ex) {
            log.debug("Could not look for absent handlers and mistyped event types; trying again", ex);
        }
    }

    private void reportHandlers() throws SQLException {
        Set<String> absent = new HashSet<>();
        for (Absent handler : handlers.find()) {
            if ((handler.waiting() > 0 || handler.forAnHour()) && !isLocal(handler)) {
                absent.add(handler.id());
                if (!reported.contains(handler.id())) {
                    report(handler);
                }
            }
        }
        reported.clear();
        reported.addAll(absent);
    }

    /** Whether this instance has the handler, although the database has lost that. */
    private boolean isLocal(Absent handler) {
        return takesAll(registry.local().subscriptions().getOrDefault(handler.id(), Set.of()), handler);
    }

    private static boolean takesAll(Set<Subscription> local, Absent handler) {
        return handler.subscriptions().stream()
                .allMatch((absent) -> local.stream().anyMatch((own) -> own.takes(absent)));
    }

    private void report(Absent handler) {
        if (registry.local().everyId().contains(handler.id())) {
            reportDroppedTypes(handler);
            return;
        }
        Instant lastSeen = handler.lastSeen();
        log.warn(
                "No running instance has handler '{}'{}, and deliveries of {} wait for it: {}. If it was renamed, add its former id to the"
                        + " new handler: @OutboxHandler(id = \"{}\", aliases = \"{}\"). If it was removed, expire it:"
                        + " OutboxOperations.expireHandler(\"{}\", actor, reason).{}",
                handler.id(),
                lastSeen == null ? "" : " (last heartbeat " + lastSeen + ")",
                described(handler),
                handler.waiting() < AbsentHandlerStore.MOST_COUNTED
                        ? handler.waiting()
                        : handler.waiting() + " or more",
                successor(handler),
                handler.id(),
                handler.id(),
                lastSeen == null
                        ? ""
                        : " Otherwise its deliveries become dead letters from " + lastSeen.plus(registry.expireAfter())
                                + " on");
    }

    private static void reportDroppedTypes(Absent handler) {
        if (handler.waiting() > 0) {
            log.warn(
                    "No running instance handles {} in handler '{}' any more, and deliveries wait for it: {}. Subscribe it to these"
                            + " again, or skip the deliveries: OutboxOperations.skip",
                    described(handler),
                    handler.id(),
                    handler.waiting());
        }
    }

    /** Leaves out what another subscription takes too. */
    private static String described(Absent handler) {
        return handler.subscriptions().stream()
                .filter((one) ->
                        handler.subscriptions().stream().allMatch((other) -> other.equals(one) || !other.takes(one)))
                .map(Subscription::toString)
                .collect(Collectors.joining(", "));
    }

    /** Returns the only handler of this instance that takes the events, or a placeholder. */
    private String successor(Absent absent) {
        List<String> candidates = registry.local().subscriptions().entrySet().stream()
                .filter((handler) -> takesAll(handler.getValue(), absent))
                .map(Map.Entry::getKey)
                .toList();
        return candidates.size() == 1 ? candidates.get(0) : "its new id";
    }

    private void reportTypes() throws SQLException {
        if (typesReported) {
            return;
        }
        SortedMap<String, Set<String>> suspects = registry.local().typesWithoutPayloadClass();
        if (!suspects.isEmpty()) {
            Set<String> published = types.latest();
            suspects.keySet().removeAll(published);
            suspects.forEach((type, ids) -> log.warn(
                    "Event type '{}', to which handler '{}' subscribes, is unknown: no handler has a payload class of this name, and none"
                            + " of the latest {} events has this type (types of these: {}). Check the spelling in eventTypes, unless"
                            + " the first event is yet to come",
                    type,
                    String.join("', '", ids),
                    EventTypeStore.MOST_READ,
                    published.isEmpty() ? "none" : String.join(", ", published)));
        }
        typesReported = true;
    }
}
