package dev.outbox.operations.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.ScheduledEvent;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.operations.internal.inspect.OperatorRequest;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the operators' view of scheduled events on the outbox tables and logs each change. */
public final class JdbcSchedule implements ScheduledEvents {

    private static final Logger log = LoggerFactory.getLogger(JdbcSchedule.class);

    private final ScheduledEventStore store;
    private final Runnable wake;

    /** Wakes the movers when an event is due at once. */
    public JdbcSchedule(DataSource dataSource, OutboxSchema schema, Runnable wake) {
        this.store = new ScheduledEventStore(dataSource, schema);
        this.wake = wake;
    }

    @Override
    public List<ScheduledEvent> find(@Nullable String aggregateType, @Nullable String aggregateId, int limit) {
        OperatorRequest.check(limit);
        return aggregateType == null && aggregateId == null
                ? OperatorRequest.run("find scheduled events", () -> store.findNext(limit))
                : OperatorRequest.search(
                        "find scheduled events",
                        aggregateType + " " + aggregateId,
                        "the aggregate type and id",
                        () -> store.findOfAggregates(aggregateType, aggregateId, limit));
    }

    @Override
    public boolean deliverNow(UUID eventId, String by, String reason) {
        AuditInfo audit = OperatorRequest.check(by, reason);
        boolean changed = OperatorRequest.run("deliver a scheduled event", () -> store.deliverNow(eventId, audit));
        if (changed) {
            log.info("Scheduled event {} made due by {}", eventId, audit.actor());
            wake.run();
        }
        return changed;
    }

    @Override
    public boolean cancel(UUID eventId, String by, String reason) {
        AuditInfo audit = OperatorRequest.check(by, reason);
        boolean changed = OperatorRequest.run("cancel a scheduled event", () -> store.cancel(eventId, audit));
        if (changed) {
            log.info("Scheduled event {} cancelled by {}", eventId, audit.actor());
        }
        return changed;
    }
}
