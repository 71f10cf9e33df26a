package dev.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** An event that another program wrote into the table reaches its handler, or is a dead letter with a code of the library. */
class DecodingFuzzTest {

    private static final Set<String> CODES = Set.of("UNDECODABLE_PAYLOAD", "PAYLOAD_MISMATCH", "MISSING_UPCASTER");
    private static final List<String> TYPES =
            HostilePayloads.TYPES.keySet().stream().sorted().toList();
    private static final List<String> TIMES = List.of(
            "infinity", "-infinity", "4713-01-01 BC", "294276-12-31 23:59:59.999999+00", "0001-01-01 BC", "2026-01-01");

    private static final AtomicInteger HANDLED = new AtomicInteger();
    private static final TestOutbox OUTBOX = TestOutbox.create()
            .poller(Duration.ofMillis(20), 500, Duration.ofSeconds(60))
            .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 1));

    private final Map<String, Long> outcomes = new TreeMap<>();
    private int inserted;

    @BeforeAll
    static void start() {
        HostilePayloads.TYPES.forEach((name, type) -> OUTBOX.handler(HandlerDefinition.of(
                "of-" + name, Set.of(name), type, (payload, envelope) -> HANDLED.incrementAndGet())));
        OUTBOX.start();
    }

    @AfterAll
    static void close() {
        OUTBOX.close();
    }

    @Test
    void decodesOrDeadLettersEditedPayloads() {
        check(Cases.few("decoding", 30));
    }

    @Test
    @Tag("chaos")
    void decodesOrDeadLettersEditedPayloadsInAllCases() {
        check(Cases.all("decoding", 30));
    }

    private void check(Cases cases) {
        cases.inBatches(500, this::deliver);

        System.out.println("decoding: " + outcomes + ", " + HANDLED + " handled");
        assertThat(outcomes.keySet()).isEqualTo(CODES);
        assertThat(HANDLED).hasValueGreaterThan(inserted / 4);
    }

    private void deliver(Random random, int count) {
        Hostile values = new Hostile(random);
        values.onlyStorable(true);
        HostilePayloads payloads = new HostilePayloads(values);
        long lastId = OUTBOX.value(Long.class, "SELECT coalesce(max(id), 0) FROM events.outbox");
        int before = HANDLED.get();
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String type = values.oneOf(TYPES);
            String payload = payloads.edited(type);
            rows.add(new Object[] {
                values.oneIn(50) ? "" : "order",
                Integer.toString(inserted + i),
                values.oneIn(50) ? -1 : 1,
                type,
                values.oneIn(50) ? -7 : 1,
                payload,
                payloads.headers(),
                values.oneOf(TIMES)
            });
        }
        inserted += count;
        new JdbcTemplate(OUTBOX.dataSource()).batchUpdate("""
                INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload, headers,
                                           occurred_at)
                VALUES (?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?::timestamptz)
                """, rows);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> OUTBOX.count("events.outbox_unpublished WHERE dispatched_at IS NULL") == 0);
        long dead = OUTBOX.count("events.outbox_delivery WHERE outbox_id > " + lastId);
        assertThat(HANDLED.get() - before + dead).isEqualTo(count);
        OUTBOX.sql()
                .sql(
                        "SELECT last_error_code AS code, status, last_error AS message FROM events.outbox_delivery WHERE outbox_id > ?")
                .param(lastId)
                .query()
                .listOfRows()
                .forEach((row) -> {
                    assertThat(row.get("status")).isEqualTo("DEAD");
                    assertThat(CODES).as("%s", row).contains((String) row.get("code"));
                    outcomes.merge((String) row.get("code"), 1L, Long::sum);
                });
    }
}
