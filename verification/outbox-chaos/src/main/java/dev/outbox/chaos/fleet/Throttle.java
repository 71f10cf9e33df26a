package dev.outbox.chaos.fleet;

import dev.outbox.chaos.process.Commands;
import java.time.Duration;
import java.util.List;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lets the publishers publish at a rate as long as the workers keep up. */
public final class Throttle implements AutoCloseable {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    /** What the workers have to do now. What waits behind an absurd delay only grows, and would end the traffic of a long run. */
    private static final String BACKLOG = """
            SELECT (SELECT count(*)
                    FROM events.outbox_unpublished
                    WHERE dispatched_at IS NULL)
                 + (SELECT count(*)
                    FROM events.outbox_delivery d
                    JOIN events.outbox_lane l USING (aggregate_type, aggregate_id, handler_id)
                    WHERE d.status = 'OPEN'
                    AND l.due_at < now() + interval '1 minute')
            """;

    private final JdbcClient sql;
    private final List<Member> publishers;
    private final long rate;
    private final long largestBacklog;
    private final Thread thread = new Thread(this::run, "throttle");
    private volatile boolean open;
    private volatile boolean closed;

    Throttle(JdbcClient sql, List<Member> publishers, long rate, long largestBacklog) {
        this.sql = sql;
        this.publishers = publishers;
        this.rate = rate;
        this.largestBacklog = largestBacklog;
        thread.setDaemon(true);
        thread.start();
    }

    /** Lets the publishers publish. */
    public void open() {
        open = true;
    }

    /** Makes the publishers pause. */
    public void pause() {
        open = false;
        publishAt(0);
    }

    @Override
    public void close() {
        closed = true;
        pause();
    }

    private void run() {
        while (!closed) {
            publishAt(open && backlog() < largestBacklog ? rate : 0);
            Pause.of(BETWEEN_LOOKS);
        }
    }

    private long backlog() {
        try {
            return sql.sql(BACKLOG).query(Long.class).single();
        } catch (DataAccessException e) {
            // The publishers find out for themselves that the database is away.
            return 0;
        }
    }

    private void publishAt(long transactions) {
        for (Member publisher : publishers) {
            if (publisher.isReady()) {
                publisher.tell(Commands.RATE, transactions);
            }
        }
    }
}
