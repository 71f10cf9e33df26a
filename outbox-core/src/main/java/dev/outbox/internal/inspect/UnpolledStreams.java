package dev.outbox.internal.inspect;

import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
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

    private static final Duration PERIOD_WHILE_FOUND = Duration.ofMinutes(1);

    /**
     * Relies on outbox_unpublished_pending and outbox_delivery_backlog, with one look-up for each stream and status; reads outbox_instance
     * whole: it has a row per instance.
     */
    static final String FIND = "WITH RECURSIVE "
            + LooseScan.of("pending", "outbox_unpublished", "d.stream", "d.dispatched_at IS NULL")
            + ", "
            + LooseScan.ofDeliveries("delivery", "d.stream, d.status")
            + ", "
            + LooseScan.of("planned", "outbox_scheduled", "d.stream", "true")
            + """
            SELECT open.stream
              FROM (SELECT pending.stream
                      FROM pending
                     WHERE (SELECT o.occurred_at
                              FROM {schema}.outbox_unpublished o
                             WHERE o.stream = pending.stream
                               AND o.dispatched_at IS NULL
                             ORDER BY o.stream, o.id
                             LIMIT 1) < clock_timestamp() - interval '1 minute'
                     UNION
                    SELECT delivery.stream FROM delivery WHERE delivery.status = 'OPEN'
                     UNION
                    SELECT planned.stream
                      FROM planned
                     WHERE (SELECT s.due_at
                              FROM {schema}.outbox_scheduled s
                             WHERE s.stream = planned.stream
                             ORDER BY s.due_at
                             LIMIT 1) < clock_timestamp() - interval '1 minute') open
             WHERE NOT EXISTS (SELECT
                                 FROM {schema}.outbox_instance i
                                WHERE open.stream = ANY (i.streams)
                                  AND i.last_seen_at >= clock_timestamp() - interval '1 minute')
            """;

    private final DataSource dataSource;
    private final Pipeline find;
    private final Duration period;
    private Set<String> seen = Set.of();
    private volatile Set<String> current = Set.of();

    /** Creates a watch with the given period, which is a minute while it finds a stream. */
    public UnpolledStreams(DataSource dataSource, OutboxSchema schema, Duration period) {
        this.dataSource = dataSource;
        this.period = period;
        this.find = new Pipeline(schema, FIND);
    }

    /** Returns the streams that two looks in a row have found. */
    public Set<String> current() {
        return current;
    }

    /** Looks once, logs what has changed, and returns the time until the next look. A role that may only publish finds nothing. */
    public Duration runOnce() {
        try {
            Set<String> found = find.run(
                    dataSource,
                    (parameters) -> {},
                    (results) -> Set.copyOf(results.map((row) -> true).keySet()));
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
        return seen.isEmpty() ? period : PERIOD_WHILE_FOUND;
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
