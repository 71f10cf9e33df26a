package dev.outbox.chaos.matrix;

import org.springframework.jdbc.core.simple.JdbcClient;

/** Registration of a handler that no process has. */
final class Ghost {

    private Ghost() {}

    /** Registers the handler as a process would that has just started. A handler without subscriptions would be deleted. */
    static void register(JdbcClient sql) {
        sql.sql("""
                INSERT INTO events.outbox_subscription (handler_id, event_type)
                VALUES ('ghost', 'Work')
                ON CONFLICT (handler_id, event_type, aggregate_type, stream, source) DO UPDATE SET last_seen_at = now()
                """).update();
        sql.sql("""
                INSERT INTO events.outbox_handler (id)
                VALUES ('ghost')
                ON CONFLICT (id) DO UPDATE SET last_seen_at = now()
                """).update();
    }

    /**
     * Lets the registration look as if no process had shown it for longer than registrations last. A delivery that a process adds
     * after the registration was removed expires by its own age.
     */
    static void expire(JdbcClient sql) {
        sql.sql("UPDATE events.outbox_handler SET last_seen_at = now() - interval '8 days' WHERE id = 'ghost'")
                .update();
        sql.sql("""
                UPDATE events.outbox_subscription
                SET last_seen_at = now() - interval '8 days'
                WHERE handler_id = 'ghost'
                """).update();
        sql.sql(
                        "UPDATE events.outbox_delivery SET created_at = now() - interval '8 days' WHERE handler_id = 'ghost' AND status = 'OPEN'")
                .update();
    }

    /** Returns the number of deliveries that wait for the handler. */
    static long waiting(JdbcClient sql) {
        return sql.sql("SELECT count(*) FROM events.outbox_delivery WHERE handler_id = 'ghost' AND status = 'OPEN'")
                .query(Long.class)
                .single();
    }
}
