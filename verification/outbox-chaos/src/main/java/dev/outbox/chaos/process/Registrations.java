package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RecordedHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Notes which handlers of this process the database knows: from then on they must get every event. */
final class Registrations {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private static final String KNOWN = """
            SELECT count(DISTINCT event_type)
            FROM events.outbox_subscription
            WHERE handler_id = ?
            AND event_type = ANY (?)
            """;

    private final List<HandlerDefinition> handlers;
    private final JdbcTemplate jdbc;
    private final FactWriter facts;

    Registrations(List<HandlerDefinition> handlers, JdbcTemplate jdbc, FactWriter facts) {
        this.handlers = handlers;
        this.jdbc = jdbc;
        this.facts = facts;
    }

    /** Returns when every handler is registered. */
    void await() {
        for (HandlerDefinition handler : handlers) {
            while (!isKnown(handler)) {
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            }
            RecordedHandler.subscribed(facts, List.of(handler));
        }
    }

    /** Notes that every handler is registered: to be called when the application must have done it. */
    void note() {
        RecordedHandler.subscribed(facts, handlers);
    }

    private boolean isKnown(HandlerDefinition handler) {
        try {
            String[] types = handler.eventTypes().toArray(String[]::new);
            Integer known = jdbc.queryForObject(KNOWN, Integer.class, handler.id(), types);
            return known != null && known == types.length;
        } catch (DataAccessException e) {
            return false;
        }
    }
}
