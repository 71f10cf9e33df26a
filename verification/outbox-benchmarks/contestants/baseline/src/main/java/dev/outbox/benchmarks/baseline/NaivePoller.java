package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.support.TransactionTemplate;

/** Outbox written in an afternoon: reads 50 rows, calls the handler, and marks each row as processed. */
class NaivePoller {

    private static final Logger log = LoggerFactory.getLogger(NaivePoller.class);

    private static final int BATCH = 50;

    /** Relies on event_unprocessed. */
    private static final String READ = """
            SELECT id, payload
              FROM event
             WHERE processed_at IS NULL
             ORDER BY id
             LIMIT ?
               FOR UPDATE SKIP LOCKED
            """;

    /** Relies on the primary key. */
    private static final String MARK = """
            UPDATE event
               SET processed_at = now()
             WHERE id = ?
            """;

    private final Setup setup;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final AtomicBoolean started = new AtomicBoolean();

    NaivePoller(Setup setup, JdbcTemplate jdbc, TransactionTemplate transaction) {
        this.setup = setup;
        this.jdbc = jdbc;
        this.transaction = transaction;
    }

    void start() {
        started.set(true);
    }

    /** At tuned settings, continues while batches are full. */
    @Scheduled(fixedDelayString = "${naive.delay}")
    void poll() {
        int events = BATCH;
        while (started.get() && events == BATCH) {
            Integer handled = transaction.execute((status) -> pollBatch());
            events = setup.tuned() && handled != null ? handled : 0;
        }
    }

    private int pollBatch() {
        List<Row> rows =
                jdbc.query(READ, (row, number) -> new Row(row.getLong(1), Payload.read(row.getString(2))), BATCH);
        for (Row row : rows) {
            try {
                setup.handling().handle(row.event());
                jdbc.update(MARK, row.id());
            } catch (RuntimeException ex) {
                log.debug("handler failed, event {} will be retried", row.id(), ex);
            }
        }
        return rows.size();
    }

    private record Row(long id, AccountChanged event) {}
}
