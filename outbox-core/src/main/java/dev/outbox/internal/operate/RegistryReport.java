package dev.outbox.internal.operate;

import dev.outbox.internal.operate.HandlerExpiryStore.Absent;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports handlers that deliveries wait for in vain, once each, and event types that no event has. For use by one thread at a time. */
public final class RegistryReport {

    private static final Logger log = LoggerFactory.getLogger(RegistryReport.class);

    private final HandlerExpiryStore store;
    private final HandlerRegistry registry;
    private Set<String> reported = Set.of();
    private boolean typesReported;

    public RegistryReport(HandlerExpiryStore store, HandlerRegistry registry) {
        this.store = store;
        this.registry = registry;
    }

    /** Writes the warnings that are new. A failure of the database disturbs nothing: the next call tries again. */
    public void write() {
        try {
            List<Absent> absent = store.absent();
            absent.stream()
                    .filter((handler) -> !reported.contains(handler.id()))
                    .forEach(this::report);
            reported = absent.stream().map(Absent::id).collect(Collectors.toSet());
            if (!typesReported) {
                reportTypes();
                typesReported = true;
            }
        } catch (SQLException ex) {
            log.debug("Could not look for absent handlers and mistyped event types; trying again", ex);
        }
    }

    private void report(Absent handler) {
        String kinds =
                handler.kinds().stream().map(Subscription::eventType).distinct().collect(Collectors.joining(", "));
        String waiting = handler.waiting() + (handler.waiting() < HandlerExpiryStore.MOST_COUNTED ? "" : " or more");
        if (registry.local().everyId().contains(handler.id())) {
            log.warn(
                    "No running instance handles {} in handler '{}' any more, and deliveries wait for it: {}. Subscribe it to these"
                            + " again, or skip the deliveries: OutboxOperations.skip",
                    kinds,
                    handler.id(),
                    waiting);
            return;
        }
        Instant lastSeen = handler.lastSeen();
        log.warn(
                "No running instance has handler '{}'{}, and deliveries of {} wait for it: {}. If it was renamed, add its former id to the"
                        + " new handler: @OutboxHandler(id = \"{}\", aliases = \"{}\"). If it was removed, expire it:"
                        + " OutboxOperations.expireHandler(\"{}\", actor, reason).{}",
                handler.id(),
                lastSeen == null ? "" : " (last heartbeat " + lastSeen + ")",
                kinds,
                waiting,
                successor(handler),
                handler.id(),
                handler.id(),
                lastSeen == null
                        ? ""
                        : " Otherwise its deliveries become dead letters from "
                                + lastSeen.plus(HandlerStore.EXPIRE_AFTER) + " on");
    }

    /** Returns the only handler of this instance that takes the events, or a placeholder. */
    private String successor(Absent absent) {
        List<String> candidates = registry.local().subscriptions().entrySet().stream()
                .filter((handler) -> absent.kinds().stream()
                        .allMatch((kind) -> handler.getValue().stream().anyMatch((own) -> own.takes(kind))))
                .map(Map.Entry::getKey)
                .toList();
        return candidates.size() == 1 ? candidates.get(0) : "its new id";
    }

    private void reportTypes() throws SQLException {
        SortedMap<String, Set<String>> unknown = registry.local().typesWithoutPayloadClass();
        if (unknown.isEmpty()) {
            return;
        }
        SortedMap<String, Set<String>> known = store.knownTypes();
        unknown.keySet().removeIf((type) -> known.getOrDefault(type, Set.of()).contains(HandlerExpiryStore.PUBLISHED));
        unknown.entrySet().removeIf((type) -> isMistyped(type.getKey(), type.getValue(), known));
        if (!unknown.isEmpty()) {
            log.info(
                    "No recent event has one of these types, to which handlers subscribe: {}",
                    String.join(", ", unknown.keySet()));
        }
    }

    /** Warns if a nearly equal type was published, or another handler names it. Of two types that only handlers name, one is reported. */
    private static boolean isMistyped(String type, Set<String> handlerIds, Map<String, Set<String>> known) {
        Optional<String> similar = known.entrySet().stream()
                .filter((other) -> !handlerIds.containsAll(other.getValue()) && isSimilar(type, other.getKey()))
                .map(Map.Entry::getKey)
                .findFirst();
        similar.ifPresent((other) -> {
            known.remove(type);
            log.warn(
                    "Event type '{}', to which handler '{}' subscribes, is unknown: none of the latest {} events has it. Did you mean '{}'?",
                    type,
                    String.join("', '", handlerIds),
                    HandlerExpiryStore.MOST_READ,
                    other);
        });
        return similar.isPresent();
    }

    /** Versions such as V1 and V2, and short names, are similar on purpose. */
    private static boolean isSimilar(String one, String other) {
        return !one.replaceAll("\\d", "").equals(other.replaceAll("\\d", ""))
                && (one.equalsIgnoreCase(other) || EditDistance.between(one, other) <= Math.min(2, one.length() / 4));
    }
}
