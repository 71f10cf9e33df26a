package dev.outbox.internal.absence;

import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports streams with events open for a minute that no running instance polls, when two looks in a row have found them. */
public final class UnpolledStreams {

    private static final Logger log = LoggerFactory.getLogger(UnpolledStreams.class);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final UnpolledStreamStore store;
    private final Duration period;
    private Set<String> seen = Set.of();
    private volatile Set<String> current = Set.of();

    /** Creates a watch with the given period, which is a minute while it finds a stream. */
    public UnpolledStreams(DataSource dataSource, OutboxSchema schema, Duration period) {
        this.store = new UnpolledStreamStore(dataSource, schema);
        this.period = period;
    }

    /** Returns the streams that two looks in a row have found. */
    public Set<String> current() {
        return current;
    }

    /** Looks once, logs what has changed, and returns the time until the next look. A role that may only publish finds nothing. */
    public Duration runOnce() {
        try {
            Set<String> found = store.find();
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
