package dev.outbox.sample.demo;

import jakarta.annotation.PreDestroy;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** Runs at most one load at a time, and reports its progress. */
@Component
@ConditionalOnBooleanProperty("demo.enabled")
class Loads {

    private static final String NEWEST = """
            SELECT coalesce(max(id), 0)
              FROM events.outbox
            """;

    /** Reads events newer than the load, by the primary keys of the partitions. */
    private static final String PROGRESS = """
            SELECT count(*) FILTER (WHERE published_at IS NOT NULL) AS handled,
                   count(*) FILTER (WHERE published_at IS NULL) AS backlog
              FROM events.outbox
             WHERE id > :newest
               AND headers ->> 'traceId' = :traceId
            """;

    private final JdbcClient jdbc;
    private final List<Traffic> traffic;
    private @Nullable Load load;
    private long newest;

    Loads(JdbcClient jdbc, List<Traffic> traffic) {
        this.jdbc = jdbc;
        this.traffic = traffic;
    }

    /** Starts a load; refused while one is running. */
    synchronized LoadStatus start(int rate, int seconds) {
        if (load != null && load.isRunning()) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "a load is running already; DELETE it or wait");
        }
        newest = jdbc.sql(NEWEST).query(Long.class).single();
        load = new Load(traffic, rate, seconds);
        load.start();
        return status();
    }

    synchronized LoadStatus status() {
        Load current = load;
        if (current == null) {
            return LoadStatus.NONE;
        }
        boolean running = current.isRunning();
        Progress progress = jdbc.sql(PROGRESS)
                .param("newest", newest)
                .param("traceId", current.traceId())
                .query(Progress.class)
                .single();
        return new LoadStatus(
                running,
                current.asked(),
                current.published(),
                current.failed(),
                progress.handled(),
                progress.backlog());
    }

    /** Stops publishing. The published events are still delivered. */
    @PreDestroy
    synchronized void stop() throws InterruptedException {
        if (load != null) {
            load.close();
        }
    }

    record Progress(long handled, long backlog) {}
}
