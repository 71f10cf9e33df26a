package dev.outbox.chaos.run;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Pause;
import java.time.Duration;

/** Asks the database of a fleet how far it has come, while there are no faults. */
final class Progress {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    private static final String OPEN = """
            SELECT (SELECT count(*) FROM events.outbox_unpublished WHERE status <> 'DEAD')
                 + (SELECT count(*) FROM events.outbox_delivery WHERE status = 'OPEN')
                 + (SELECT count(*) FROM events.outbox_replay WHERE finished_at IS NULL)
                 + (SELECT count(*) FROM events.outbox_scheduled WHERE due_at < now() + interval '1 minute')
            """;

    private static final String COMMITTED = """
            SELECT count(*)
            FROM chaos.ledger
            """;

    private Progress() {}

    /** Returns the number of events, deliveries and replays that are not done, with what is due before long. */
    static long open(Fleet fleet) {
        return number(fleet, OPEN);
    }

    /** Returns the number of events that were committed by publishers. */
    static long committed(Fleet fleet) {
        return number(fleet, COMMITTED);
    }

    private static long number(Fleet fleet, String sql) {
        Pause.of(BETWEEN_LOOKS);
        return fleet.sql().sql(sql).query(Long.class).single();
    }
}
