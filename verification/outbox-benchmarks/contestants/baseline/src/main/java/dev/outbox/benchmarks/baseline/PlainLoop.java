package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Floor of forwarding: a loop that has all messages in memory before the start, sends them in batches, and waits for the
 * acknowledgements of the broker. It neither reads nor writes the database meanwhile.
 */
public abstract class PlainLoop extends Contestant {

    /** Messages that are sent before the next wait. */
    protected static final int BATCH = 500;

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id      bigserial NOT NULL PRIMARY KEY,
                account integer   NOT NULL,
                seq     bigint    NOT NULL,
                payload text      NOT NULL
            )
            """;

    private static final String INSERT = """
            INSERT INTO event (account, seq, payload)
            VALUES (?, ?, ?)
            """;

    private static final String READ = """
            SELECT account, seq, payload
              FROM event
             ORDER BY account, seq
            """;

    private final JdbcTemplate jdbc;

    /** Creates the table. */
    protected PlainLoop(Setup setup, Class<?> configuration, Map<String, String> properties) {
        super(setup, configuration, properties);
        this.jdbc = bean(JdbcTemplate.class);
        jdbc.execute(CREATE);
    }

    /** Event to send. */
    public record Stored(String id, String account, String seq, String payload) {

        /** Returns the attributes of a CloudEvent as headers, as this library sends them. */
        public Map<String, String> headers() {
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("ce_specversion", "1.0");
            headers.put("ce_id", id);
            headers.put("ce_source", "/benchmark");
            headers.put("ce_type", "AccountChanged");
            headers.put("ce_time", "2026-01-01T00:00:00.000000Z");
            headers.put("ce_subject", account);
            headers.put("ce_aggregatetype", "account");
            headers.put("ce_sequence", seq);
            headers.put("ce_schemaversion", "1");
            return headers;
        }
    }

    /** Returns the messages of all events, if the process delivers. */
    protected final <M> List<M> messages(Function<Stored, M> message) {
        return setup.role().delivers()
                ? jdbc.query(
                        READ,
                        (row, number) -> message.apply(new Stored(
                                UUID.randomUUID().toString(), row.getString(1), row.getString(2), row.getString(3))))
                : List.of();
    }

    @Override
    public void publish(AccountChanged event) {
        publishAll(List.of(event));
    }

    @Override
    public void publishAll(List<AccountChanged> events) {
        jdbc.batchUpdate(INSERT, events, events.size(), (insert, event) -> {
            insert.setInt(1, event.key());
            insert.setLong(2, event.seq());
            insert.setString(3, json(event));
        });
    }

    /** Returns the payload as the database of this library returns it. */
    private static String json(AccountChanged event) {
        return "{\"key\": %d, \"seq\": %d, \"note\": \"%s\", \"number\": %d}"
                .formatted(event.key(), event.seq(), event.note(), event.number());
    }

    @Override
    public void start() {
        new Thread(this::run, "plain-loop").start();
    }

    private void run() {
        try {
            send();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends all messages. */
    protected abstract void send() throws InterruptedException, ExecutionException;

    @Override
    public String pending() {
        return "SELECT 0";
    }
}
