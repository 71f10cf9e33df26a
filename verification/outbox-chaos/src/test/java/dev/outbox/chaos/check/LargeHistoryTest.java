package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A large history without a fault, made up of facts in files and rows in a database. {@code -Dhistory.events} chooses its size. */
@Tag("full")
class LargeHistoryTest {

    private static final int AGGREGATES = 1000;
    private static final List<String> HANDLERS = List.of("mail", "ledger", "audit");
    private static final String STORED = "{\"text\": \"an event of a history that is large\", \"number\": %d}";

    /** Events, each published in a transaction, and claimed and settled in another one. */
    private static final List<String> ROWS = List.of("""
            INSERT INTO events.outbox_published
                   (id, event_id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, dispatched_at, published_at)
            SELECT n, lpad(to_hex(n), 32, '0')::uuid, 'account', 'a' || n % 1000, n / 1000 + 1, 'Traded',
                   jsonb_build_object('number', n, 'text', 'an event of a history that is large'), 'PUBLISHED', now(), now()
              FROM generate_series(0, {events} - 1) n
            """, """
            CREATE TABLE chaos.ledger AS
            SELECT lpad(to_hex(n), 32, '0')::uuid AS event_id, 'a' || n % 1000 AS aggregate_id, n / 1000 + 1 AS sequence,
                   't-' || n AS transaction_id
              FROM generate_series(0, {events} - 1) n
            """, """
            INSERT INTO chaos.state_change (id, txid, application, kind, outbox_id, event_id, old_status, new_status)
            SELECT n * 5 + step, (n * 2 + (step > 0)::integer)::text::xid8, 'w-1', 'EVENT', n, lpad(to_hex(n), 32, '0')::uuid,
                   (ARRAY['NONE', 'PENDING', 'NONE'])[step / 2 + 1], (ARRAY['PENDING', 'NONE', 'PUBLISHED'])[step / 2 + 1]
              FROM generate_series(0, {events} - 1) n, unnest('{0,2,4}'::integer[]) step
            """, """
            INSERT INTO chaos.state_change (id, txid, application, kind, outbox_id, old_status, new_status, event_ids)
            SELECT n * 5 + step, (n * 2 + (step > 1)::integer)::text::xid8, 'w-1', 'CLAIM', n,
                   (ARRAY['NONE', 'CLAIMED'])[step / 2 + 1], (ARRAY['CLAIMED', 'NONE'])[step / 2 + 1],
                   CASE WHEN step = 1 THEN ARRAY[n::bigint] END
              FROM generate_series(0, {events} - 1) n, unnest('{1,3}'::integer[]) step
            """);

    @TempDir
    private Path directory;

    @Test
    void largeHistoryIsChecked() {
        int events = Integer.getInteger("history.events", 20_000);
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            writeRows(database, events);
            writeFacts(events);
            long begun = System.nanoTime();
            long begunCpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();

            Report report = CheckMain.check(
                    directory.toString(),
                    database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "user=" + database.username()
                            + "&password=" + database.password());

            System.out.printf(
                    "checked %,d events in %.1f s, of which %.1f s of CPU%n",
                    events,
                    (System.nanoTime() - begun) / 1e9,
                    (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begunCpu) / 1e9);
            assertThat(report.isClean()).as(report::toString).isTrue();
            assertThat(report.ok()).isEqualTo(events);
            assertThat(report.executions()).isEqualTo(3L * events);
        }
    }

    private static void writeRows(TestDatabase database, int events) {
        Schemas schemas = Schemas.defaults();
        new OutboxMigrations(database.dataSource(), schemas.outbox(), schemas.archive()).migrate();
        JdbcClient sql = JdbcClient.create(database.dataSource());
        sql.sql(RecordedRun.stateChanges()).update();
        sql.sql("ALTER TABLE events.outbox_published DISABLE TRIGGER USER").update();
        sql.sql("CREATE TABLE chaos.booking (event_id uuid, handler text)").update();
        ROWS.forEach((rows) ->
                sql.sql(rows.replace("{events}", String.valueOf(events))).update());
    }

    private void writeFacts(int events) {
        try (FactWriter publisher = FactWriter.open(directory, "p-1");
                FactWriter worker = FactWriter.open(directory, "w-1")) {
            for (String handler : HANDLERS) {
                worker.write(new Subscribed(System.nanoTime(), "w-1", handler, Set.of("Traded"), Set.of(), false));
            }
            for (int i = 0; i < events; i++) {
                UUID id = new UUID(0, i);
                String aggregate = "a" + i % AGGREGATES;
                long sequence = i / AGGREGATES + 1;
                String payload = STORED.formatted(i);
                IntendedEvent event = new IntendedEvent(id, "Traded", "account", aggregate, payload, Map.of());
                String transaction = "t-" + i;
                publisher.write(new Intended(System.nanoTime(), "p-1", transaction, List.of(event)));
                publisher.write(new Published(System.nanoTime(), "p-1", transaction, id, sequence));
                publisher.write(new Completed(System.nanoTime(), "p-1", transaction, Commit.COMMITTED));
                for (String handler : HANDLERS) {
                    worker.write(new Started(
                            System.nanoTime(),
                            "w-1",
                            handler,
                            id,
                            "account",
                            aggregate,
                            sequence,
                            1,
                            payload,
                            Map.of(),
                            false));
                    worker.write(new Ended(System.nanoTime(), "w-1", handler, id, 1, Outcome.SUCCEEDED));
                }
            }
        }
    }
}
