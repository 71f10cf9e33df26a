package dev.outbox.internal.registry;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Handler in the registry that all instances share, under one id.
 *
 * @param pausedUntil when its pause ends; {@link #RESUMED} if an operator ends it, and {@code null} if it is not paused
 */
public record RegisteredHandler(
        String id,
        Set<Subscription> subscriptions,
        Set<String> aliases,
        @Nullable Instant pausedUntil,
        Heartbeat heartbeat) {

    /** What JDBC reads for infinity. */
    public static final Instant RESUMED = OffsetDateTime.MAX.toInstant();

    public RegisteredHandler {
        subscriptions = Set.copyOf(subscriptions);
        aliases = Set.copyOf(aliases);
    }

    /** Last heartbeat, which every instance gives each minute, and whether it is recent. */
    public record Heartbeat(Instant at, boolean recent) {}

    public boolean paused() {
        return pausedUntil != null;
    }

    /** Returns whether an instance has the handler. */
    public boolean isPresent() {
        return heartbeat.recent() && !subscriptions.isEmpty();
    }

    /**
     * Finds a handler by its current or a former id, and adds what newer versions of it have registered: in a rolling deploy, the
     * registry holds a renamed handler under both ids.
     */
    public static Optional<RegisteredHandler> resolve(String id, Collection<RegisteredHandler> registry) {
        return registry.stream()
                .filter((one) -> one.id().equals(id))
                .findFirst()
                .or(() -> registry.stream()
                        .filter((one) -> one.aliases().contains(id))
                        .findFirst())
                .map((found) -> found.withVersionsIn(registry));
    }

    private RegisteredHandler withVersionsIn(Collection<RegisteredHandler> registry) {
        List<RegisteredHandler> versions = registry.stream()
                .filter((one) -> one.equals(this) || one.aliases().contains(id))
                .toList();
        Set<String> ids = new TreeSet<>();
        Set<Subscription> taken = new TreeSet<>();
        versions.forEach((version) -> {
            ids.addAll(version.ids());
            taken.addAll(version.subscriptions());
        });
        Instant pausedUntil = registry.stream()
                .filter((one) -> ids.contains(one.id()))
                .flatMap((one) -> Stream.ofNullable(one.pausedUntil()))
                .max(Comparator.naturalOrder())
                .orElse(null);
        ids.remove(id);
        return new RegisteredHandler(id, taken, ids, pausedUntil, heartbeat);
    }

    /** Returns the current and all former ids. */
    public Set<String> ids() {
        Set<String> ids = new TreeSet<>(aliases);
        ids.add(id);
        return ids;
    }

    /** Returns whether it takes events with these values. */
    public boolean takes(Subscription event) {
        return subscriptions.stream().anyMatch((own) -> own.takes(event));
    }

    /** Returns whether it subscribes to an event type. */
    public boolean isSubscribedTo(String eventType) {
        return subscriptions.stream().anyMatch((own) -> own.takesType(eventType));
    }
}
