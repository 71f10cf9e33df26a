package dev.outbox.internal.inspect;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxOverview;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports streams with events open for a minute that no running instance polls, when two looks in a row have found them. */
public final class UnpolledStreams {

    private static final Logger log = LoggerFactory.getLogger(UnpolledStreams.class);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final StatusStore store;
    private final Duration period;
    private Set<String> seen = Set.of();
    private volatile Set<String> current = Set.of();

    /** Creates a watch with the given period, which is a minute while it finds a stream. */
    public UnpolledStreams(DataSource dataSource, OutboxSchema schema, Duration period) {
        this.store = new StatusStore(dataSource, schema, Pipeline.INSPECT);
        this.period = period;
    }

    /** Returns the streams that two looks in a row have found. */
    public Set<String> current() {
        return current;
    }

    /** Looks once, logs what has changed, and returns the time until the next look. A role that may only publish finds nothing. */
    public Duration runOnce() {
        try {
            Set<String> found = unpolled(store.overview());
            Set<String> unpolled = new TreeSet<>(found);
            unpolled.retainAll(seen);
            seen = found;
            if (!unpolled.equals(current)) {
                report(unpolled);
                current = unpolled;
            }
        } catch (SQLException ex) {
            log.debug("Could not look for streams that no instance polls; trying again", ex);
        }
        return seen.isEmpty() ? period : MINUTE;
    }

    private static Set<String> unpolled(OutboxOverview overview) {
        Instant silentSince = overview.at().minus(MINUTE);
        Set<String> polled = overview.instances().stream()
                .filter((instance) -> !instance.lastSeenAt().isBefore(silentSince))
                .flatMap((instance) -> instance.streams().stream())
                .collect(Collectors.toSet());
        return overview.streams().stream()
                .filter((stream) -> !polled.contains(stream.name()) && hasWaited(stream.backlog()))
                .map(OutboxOverview.Stream::name)
                .collect(Collectors.toSet());
    }

    private static boolean hasWaited(OutboxOverview.Backlog backlog) {
        return backlog.retrying() > 0
                || backlog.oldestPending().compareTo(MINUTE) > 0
                || backlog.overdue().compareTo(MINUTE) > 0;
    }

    private static void report(Set<String> unpolled) {
        if (unpolled.isEmpty()) {
            log.info("A running instance polls every stream with events again");
        } else {
            log.warn(
                    "No running instance polls {}, and events wait there. Start an application that has handlers for them, or compare"
                            + " outbox.poller.enabled and outbox.poller.streams in all instances",
                    unpolled.size() == 1 ? "stream " + unpolled.iterator().next() : "streams " + unpolled);
        }
    }
}
