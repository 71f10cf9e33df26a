package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** Each alert of the rules is false while the service is quiet, and true when the failure that it is for has happened. */
@Tag("full")
@SampleTest
@Import({FreshGauges.class, AlertConditionsTest.Blocking.class})
@TestPropertySource(properties = "outbox.streams.orders.lease=1s")
class AlertConditionsTest {

    /** Labels that Prometheus adds to what it scrapes. */
    private static final Pattern CLAIMS_OF_PUSH = Pattern.compile("outbox_claim_seconds_count\\{[^}]*stream=\"push\"");

    private static final Map<String, String> TARGET = Map.of("instance", "one");

    /** Longer than the gauges reuse a count, so that a scrape shows what was done before it. */
    private static final Duration STALE = Duration.ofMillis(150);

    private static final String PUSH = "{\"stream\": \"push\", \"actor\": \"ann\", \"reason\": \"a test\"}";

    private static final String HANDLER =
            "{\"handler\": \"fulfilment.order\", \"actor\": \"ann\", \"reason\": \"a test\"}";

    private final Map<String, AlertRule> rules = AlertRule.byName();
    private final Scrapes scrapes = new Scrapes();
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxMeters meters;

    @Autowired
    private TestDatabase database;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        api.awaitPublished();
    }

    @AfterEach
    void endFailures() {
        api.delete("/demo/faults");
        // A worker whose events were deleted would count a lost lease.
        await().until(() -> jdbc.sql("SELECT count(*) = 0 FROM events.outbox_unpublished WHERE stream = 'orders'")
                .query(Boolean.class)
                .single());
        // The workers continue meanwhile, and may win a deadlock.
        await().ignoreException(PessimisticLockingFailureException.class)
                .until(() ->
                        jdbc.sql("TRUNCATE events.outbox_delivery, events.outbox_unpublished, events.outbox_scheduled")
                                        .update()
                                == 0);
        api.post("/actuator/outbox/resume", PUSH);
    }

    @Test
    void quietServiceRaisesNoAlert() {
        scrape();
        later(Duration.ofMinutes(1));
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        api.awaitPublished();
        scrape();

        assertThat(rules.keySet()).filteredOn(this::fires).isEmpty();
    }

    @Test
    void backlogOfAPausedStream() {
        api.post("/actuator/outbox/pause", PUSH);
        insert(1000, "push", "30 seconds");
        scrape();
        assertThat(fires("OutboxBacklog")).isFalse();
        assertThat(fires("OutboxOldestPending")).isFalse();

        insert(1, "push", "30 seconds");
        age("61 seconds");
        later(Duration.ofMinutes(1));
        scrape();
        assertFires("OutboxBacklog");
        assertFires("OutboxOldestPending");
    }

    @Test
    void scheduledEventOfAPausedStream() {
        api.post("/actuator/outbox/pause", PUSH);
        jdbc.sql("""
                        INSERT INTO events.outbox_scheduled
                               (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers, due_at)
                        VALUES (gen_random_uuid(), 'push', 'backlog', '1', 'BacklogGrew', 1, '{}', '{}', now() - interval '30 s')
                        """).update();
        scrape();
        assertThat(fires("OutboxScheduledOverdue")).isFalse();

        jdbc.sql("UPDATE events.outbox_scheduled SET due_at = now() - interval '61 s'")
                .update();
        scrape();
        assertFires("OutboxScheduledOverdue");
    }

    @Test
    void pollerThatClaimsNothing() {
        read((scrape) -> CLAIMS_OF_PUSH.matcher(scrape).find());
        api.post("/actuator/outbox/pause", PUSH);
        insert(1, "push", "30 seconds");
        String scrape = read();
        record(scrape);
        later(Duration.ofMinutes(4));
        record(scrape);
        assertFires("OutboxPollerStopped", "push");

        later(Duration.ofSeconds(30));
        record(scrape.replaceAll("(outbox_claim_seconds_count\\{.*stream=\"push\".*) .+", "$1 1000000"));
        assertThat(fires("OutboxPollerStopped", "push")).isFalse();
    }

    @Test
    void laneThatKeepsRetrying() {
        fault("fulfilment.order", "failPercent=100");
        api.create("/orders", "{\"item\": \"teapot\"}", "$.id");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "OrderPlaced")
                        .extracting("status")
                        .containsExactly("RETRYING"));
        scrape();
        assertThat(fires("OutboxOldestRetrying")).isFalse();

        age("31 minutes");
        scrape();
        assertFires("OutboxOldestRetrying");
        assertFires("OutboxLaneStuck");

        api.post("/actuator/outbox/pause", HANDLER);
        scrape();
        assertThat(fires("OutboxLaneStuck")).isFalse();
        api.post("/actuator/outbox/resume", HANDLER);
        scrape();
        assertFires("OutboxLaneStuck");

        api.post("/actuator/outbox/retry", """
                {"selection": "handler=fulfilment.order", "actor": "ann", "reason": "a test"}
                """);
        scrape();
        assertThat(fires("OutboxLaneStuck")).isFalse();
        assertThat(fires("OutboxOldestRetrying")).isFalse();
    }

    @Test
    void deadLetters() {
        api.put("/settings/max-volume", "{\"volume\": 100}");
        api.awaitPublished();
        signals(1, 1);
        assertFires("OutboxDeadLetters");
        assertFires("OutboxLanesBlocked");
        assertThat(fires("OutboxManyDeadLetters")).isFalse();

        signals(10, 11);
        assertFires("OutboxManyDeadLetters");
    }

    /** A mean since the start of the process would be 0.00003. */
    @Test
    void retriesAfterAMillionGoodEvents() {
        IntStream.range(0, 1_000_000).forEach((event) -> meters.completed("default", 0));
        scrape();
        later(Duration.ofMinutes(1));
        IntStream.range(0, 10).forEach((event) -> meters.completed("default", 1));
        scrape();
        assertThat(fires("OutboxRetries")).isFalse();

        later(Duration.ofMinutes(1));
        IntStream.range(0, 10).forEach((event) -> meters.completed("default", 3));
        scrape();
        assertFires("OutboxRetries");
    }

    @Test
    void retriesOfEventsOfWhichNoneFinishes() {
        api.post("/actuator/outbox/pause", PUSH);
        insertRetrying(1);
        scrape();
        later(Duration.ofMinutes(1));
        scrape();
        assertThat(fires("OutboxRetries")).isFalse();

        insertRetrying(2);
        scrape();
        assertFires("OutboxRetries", "push");
    }

    @Test
    void handlerThatHangs() {
        fault("fulfilment.parcel", "hang=true");
        payFor("clock");

        await().atMost(Api.DEADLINE).until(() -> scrapeFires("OutboxHandlersStuck"));
    }

    @Test
    void circuitThatOpens() {
        fault("fulfilment.parcel", "failPercent=100");
        IntStream.range(0, 6).forEach((order) -> payFor("cup"));

        await().atMost(Api.DEADLINE).until(() -> scrapeFires("OutboxCircuitOpen"));
        api.delete("/demo/faults");
        await().atMost(Api.DEADLINE).until(() -> !scrapeFires("OutboxCircuitOpen"));
    }

    @Test
    void countersThatGrow() {
        scrape();
        meters.leaseLost("default");
        meters.unrouted("default");
        meters.delivered("default", Duration.ofMinutes(30));
        later(Duration.ofMinutes(1));
        scrape();

        assertFires("OutboxLeasesLost");
        assertFires("OutboxEventsWithoutSubscribers");
        assertFires("OutboxDeliveryLag");
    }

    @Test
    void gaugesAreUnknownAndNotZeroWhileTheDatabaseIsAway() {
        database.cutOff();
        try {
            record(read(Scrapes::hasUnknownGauges));
        } finally {
            database.restore();
        }

        assertFires("OutboxGaugesUnknown");
        assertThat(new Evaluation(scrapes, now)
                        .vector(PromQl.parse("outbox_pending_events or outbox_lanes_blocked"))
                        .values())
                .hasSizeGreaterThan(5)
                .containsOnly(Double.NaN);
        assertThat(fires("OutboxNotScraped")).isFalse();
        later(Duration.ofMinutes(5));
        assertFires("OutboxNotScraped");
    }

    /** Handler that blocks behind the orders that it cannot handle. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Blocking {

        @Bean
        HandlerDefinition blocking() {
            return HandlerDefinition.of("blocking", Set.of("CreateOrderAttempt"), (command) -> {
                        throw new NonRetryableException("a test");
                    })
                    .onDead(OnDead.BLOCK);
        }
    }

    private void signals(int count, int dead) {
        for (int signal = 0; signal < count; signal++) {
            api.create("/signals", """
                    {"ownerId": "o", "strategyKey": "EXTREME_FLIP", "market": "KRW-%s", "side": "BUY", "volume": 101}
                    """.formatted(UUID.randomUUID()), "$.orderIntentId");
        }
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "CreateOrderAttempt")
                        .hasSize(dead)
                        .extracting("status")
                        .containsOnly("DEAD"));
        scrape();
    }

    private void payFor(String item) {
        String order = api.create("/orders", "{\"item\": \"" + item + "\"}", "$.id");
        api.create("/orders/" + order + "/payment", "", "$.id");
    }

    private void fault(String handler, String fault) {
        api.create("/demo/faults/handlers/" + handler + "?" + fault, "", "$.handlerId");
    }

    private void insert(int events, String stream, String age) {
        jdbc.sql("""
                        INSERT INTO events.outbox (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                        SELECT ?, 'backlog', gen_random_uuid()::text, 1, 'BacklogGrew', '{}', now() - ?::interval
                          FROM generate_series(1, ?)
                        """).param(stream).param(age).param(events).update();
    }

    /** An event that failed some times, and whose next attempt is far off. */
    private void insertRetrying(int failures) {
        jdbc.sql("""
                        WITH event AS (
                            INSERT INTO events.outbox_unpublished
                                   (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, retry_count, dispatched_at)
                            VALUES ('push', 'backlog', gen_random_uuid()::text, 1, 'BacklogGrew', '{}', 'RETRYING', ?, now())
                            RETURNING *
                        )
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status, next_retry_at)
                        SELECT id, 'push.message', stream, aggregate_type, aggregate_id, aggregate_seq, event_type, 'OPEN', now() + interval '1 h'
                          FROM event
                        """).param(failures).update();
    }

    private void age(String age) {
        jdbc.sql("ALTER TABLE events.outbox_unpublished DISABLE TRIGGER USER").update();
        jdbc.sql("UPDATE events.outbox_unpublished SET occurred_at = now() - ?::interval")
                .param(age)
                .update();
        jdbc.sql("ALTER TABLE events.outbox_unpublished ENABLE TRIGGER USER").update();
        jdbc.sql("UPDATE events.outbox_delivery SET open_since = now() - ?::interval")
                .param(age)
                .update();
    }

    private boolean scrapeFires(String alert) {
        scrape();
        return fires(alert);
    }

    private void assertFires(String alert) {
        assertThat(fires(alert)).as(alert).isTrue();
    }

    private void assertFires(String alert, String stream) {
        assertThat(fires(alert, stream)).as(alert).isTrue();
    }

    /** A copied scrape may show an event of another stream for ever. */
    private boolean fires(String alert, String stream) {
        return new Evaluation(scrapes, now)
                .vector(rules.get(alert).expression()).keySet().stream()
                        .anyMatch((labels) -> stream.equals(labels.get("stream")));
    }

    private boolean fires(String alert) {
        return !new Evaluation(scrapes, now)
                .vector(rules.get(alert).expression())
                .isEmpty();
    }

    private void later(Duration time) {
        now = now.plus(time);
    }

    private void scrape() {
        record(read());
    }

    private void record(String scrape) {
        scrapes.record(now, scrape, TARGET);
    }

    private String read() {
        return read(Predicate.not(Scrapes::hasUnknownGauges));
    }

    private String read(Predicate<String> condition) {
        return await().pollInterval(STALE)
                .until(() -> api.get("/actuator/prometheus").getBody(), condition);
    }
}
