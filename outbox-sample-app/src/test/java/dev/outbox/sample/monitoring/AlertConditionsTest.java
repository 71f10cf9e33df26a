package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.trading.TradingApi;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** Each alert is silent while the service is quiet, and fires after the failure that it is for, as Prometheus evaluates the rules. */
@Tag("full")
@EnabledIf(value = Promtool.INSTALLED, disabledReason = Promtool.MISSING)
@SampleTest
@Import({FreshGauges.class, AlertConditionsTest.Blocking.class})
@TestPropertySource(properties = "outbox.streams.orders.lease=1s")
class AlertConditionsTest {

    private static final Pattern CLAIMS_OF_PUSH = Pattern.compile("outbox_claim_seconds_count\\{[^}]*stream=\"push\"");

    /** Longer than the gauges reuse a count, so that a scrape shows what was done before it. */
    private static final Duration STALE = Duration.ofMillis(150);

    private final Promtool prometheus = new Promtool();

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxMeters meters;

    @Autowired
    private TestDatabase database;

    @BeforeEach
    void connect() {
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
        api.change("resume", "stream", "push");
    }

    @Test
    void quietServiceRaisesNoAlert() {
        scrape();
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        api.awaitPublished();
        scrape();

        prometheus.assertNoResult("ALERTS");
    }

    @Test
    void backlogOfAStreamThatStands() {
        api.change("pause", "stream", "push");
        insert(1000, "push", "30 seconds");
        scrapeWithoutPause();
        assertSilent("OutboxBacklog");
        assertSilent("OutboxOldestPending");

        insert(1, "push", "30 seconds");
        age("61 seconds");
        scrapeWithoutPause();
        prometheus.scrapeAgain(1);
        assertFires("OutboxBacklog");
        assertFires("OutboxOldestPending");
    }

    @Test
    void scheduledEventOfAStreamThatStands() {
        api.change("pause", "stream", "push");
        schedule("30 s");
        scrapeWithoutPause();
        assertSilent("OutboxScheduledOverdue");

        jdbc.sql("UPDATE events.outbox_scheduled SET due_at = now() - interval '61 s'")
                .update();
        scrapeWithoutPause();
        assertFires("OutboxScheduledOverdue");
    }

    @Test
    void pollerThatClaimsNothing() {
        read((scrape) -> CLAIMS_OF_PUSH.matcher(scrape).find());
        api.change("pause", "stream", "push");
        insert(1, "push", "30 seconds");
        String scrape = withoutPause(read());
        prometheus.scrape(scrape);
        prometheus.scrapeAgain(5);
        assertFires("OutboxPollerStopped", "push");

        prometheus.scrape(scrape.replaceAll("(outbox_claim_seconds_count\\{.*stream=\"push\".*) .+", "$1 1000000"));
        assertSilent("OutboxPollerStopped", "push");
    }

    /** Its operator knows. Five minutes later than its pause ends, it should have caught up. */
    @Test
    void streamThatAnOperatorPaused() {
        read((scrape) -> CLAIMS_OF_PUSH.matcher(scrape).find());
        api.change("pause", "stream", "push");
        insert(1001, "push", "30 seconds");
        insertRetrying(1);
        schedule("61 s");
        age("31 minutes");
        String paused = read();
        prometheus.scrape(paused);
        prometheus.scrapeAgain(11);
        prometheus.assertNoResult("ALERTS{alertstate=\"firing\"}");

        prometheus.scrape(withoutPause(paused));
        prometheus.scrapeAgain(3);
        prometheus.assertNoResult("ALERTS{alertstate=\"firing\"}");
        prometheus.scrapeAgain(3);
        assertFires("OutboxBacklog");
        assertFires("OutboxOldestPending", "push");
        assertFires("OutboxOldestRetrying", "push");
        assertFires("OutboxScheduledOverdue", "push");
        prometheus.scrapeAgain(5);
        assertFires("OutboxPollerStopped", "push");
    }

    @Test
    void backlogOfAPausedHandler() {
        api.change("pause", "handler", "push.send");
        insertRetrying(1001, 0);
        scrape();
        prometheus.scrapeAgain(1);
        assertSilent("OutboxBacklog");

        api.change("resume", "handler", "push.send");
        scrape();
        prometheus.scrapeAgain(4);
        assertSilent("OutboxBacklog");
        prometheus.scrapeAgain(3);
        assertFires("OutboxBacklog");
    }

    @Test
    void pauseThatIsForgotten() {
        api.change("pause", "stream", "push");
        api.change("pause", "handler", "fulfilment.order");
        prometheus.scrape(
                read().lines().filter((line) -> line.contains("_paused{")).collect(Collectors.joining("\n")));
        api.change("resume", "handler", "fulfilment.order");
        prometheus.scrapeAgain(24 * 60 - 1);
        prometheus.assertNoResult("ALERTS{alertname=\"OutboxPaused\",alertstate=\"firing\"}");

        prometheus.scrapeAgain(1);
        assertFires("OutboxPaused", "push");
        prometheus.assertResult(
                "ALERTS{alertname=\"OutboxPaused\",alertstate=\"firing\",handler=\"fulfilment.order\"}");
    }

    @Test
    void laneThatKeepsRetrying() {
        api.fault("fulfilment.order", "failPercent=100");
        api.order("teapot");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "OrderPlaced")
                        .extracting("status")
                        .containsExactly("RETRYING"));
        scrape();
        assertSilent("OutboxOldestRetrying");

        age("31 minutes");
        scrape();
        assertFires("OutboxOldestRetrying");
        assertFires("OutboxLaneStuck");

        api.change("pause", "handler", "fulfilment.order");
        scrape();
        assertSilent("OutboxLaneStuck");
        api.change("resume", "handler", "fulfilment.order");
        scrape();
        assertSilent("OutboxLaneStuck");
        prometheus.scrapeAgain(6);
        assertFires("OutboxLaneStuck");

        api.operate("retry", "handler=fulfilment.order");
        scrape();
        assertSilent("OutboxLaneStuck");
        assertSilent("OutboxOldestRetrying");
    }

    @Test
    void deadLetters() {
        api.put("/settings/max-volume", "{\"volume\": 100}");
        api.awaitPublished();
        signals(1, 1);
        assertFires("OutboxDeadLetters");
        assertFires("OutboxLanesBlocked");
        assertSilent("OutboxManyDeadLetters");

        signals(10, 11);
        assertFires("OutboxManyDeadLetters");
    }

    /** A mean since the start of the process would be 0.00003. */
    @Test
    void retriesAfterAMillionGoodEvents() {
        IntStream.range(0, 1_000_000).forEach((event) -> meters.completed("default", 0));
        scrape();
        IntStream.range(0, 10).forEach((event) -> meters.completed("default", 1));
        scrape();
        assertSilent("OutboxRetries");

        IntStream.range(0, 10).forEach((event) -> meters.completed("default", 3));
        scrape();
        assertFires("OutboxRetries");
    }

    @Test
    void retriesOfEventsOfWhichNoneFinishes() {
        api.change("pause", "stream", "push");
        insertRetrying(1);
        scrape();
        scrape();
        assertSilent("OutboxRetries");

        insertRetrying(2);
        scrape();
        assertFires("OutboxRetries", "push");
    }

    @Test
    void handlerThatHangs() {
        api.fault("fulfilment.parcel", "hang=true");
        api.pay(api.order("clock"));

        prometheus.scrape(read((scrape) -> isPositive(scrape, "outbox_handlers_stuck_handlers")));
        assertFires("OutboxHandlersStuck");
    }

    @Test
    void circuitThatOpens() {
        api.fault("fulfilment.parcel", "failPercent=100");
        IntStream.range(0, 6).forEach((order) -> api.pay(api.order("cup")));

        prometheus.scrape(read((scrape) -> isPositive(scrape, "outbox_circuits_open")));
        prometheus.scrapeAgain(2);
        assertFires("OutboxCircuitOpen");

        api.delete("/demo/faults");
        prometheus.scrape(read((scrape) -> !isPositive(scrape, "outbox_circuits_open")));
        assertSilent("OutboxCircuitOpen");
    }

    @Test
    void countersThatGrow() {
        scrape();
        meters.leaseLost("default");
        meters.unrouted("default");
        for (int minute = 0; minute <= 5; minute++) {
            meters.delivered("default", Duration.ofMinutes(30));
            scrape();
        }

        assertFires("OutboxLeasesLost");
        assertFires("OutboxEventsWithoutSubscribers");
        assertFires("OutboxDeliveryLag");
    }

    @Test
    void gaugesAreUnknownAndNotZeroWhileTheDatabaseIsAway() {
        database.cutOff();
        String scrape;
        try {
            scrape = read(Scrapes::hasUnknownGauges);
        } finally {
            database.restore();
        }
        prometheus.scrape(scrape);
        prometheus.scrapeAgain(2);

        assertFires("OutboxGaugesUnknown");
        assertThat(Scrapes.values(scrape, "outbox_pending_events"))
                .hasSizeGreaterThan(1)
                .containsOnly(Double.NaN);
        assertThat(Scrapes.values(scrape, "outbox_lanes_blocked"))
                .hasSizeGreaterThan(1)
                .containsOnly(Double.NaN);
        assertSilent("OutboxNotScraped");
    }

    /** A sample stands for its series for 5 minutes, and the alert waits for 5 more. */
    @Test
    void serviceThatIsNotScraped() {
        scrape();
        prometheus.missScrapes(5);
        assertSilent("OutboxNotScraped");

        prometheus.missScrapes(6);
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
            new TradingApi(api).signal("BUY", "101");
        }
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "CreateOrderAttempt")
                        .hasSize(dead)
                        .extracting("status")
                        .containsOnly("DEAD"));
        scrape();
    }

    private void insert(int events, String stream, String age) {
        jdbc.sql("""
                        INSERT INTO events.outbox (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                        SELECT ?, 'backlog', gen_random_uuid()::text, 1, 'BacklogGrew', '{}', now() - ?::interval
                          FROM generate_series(1, ?)
                        """).param(stream).param(age).param(events).update();
    }

    private void schedule(String overdue) {
        jdbc.sql("""
                        INSERT INTO events.outbox_scheduled
                               (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers, due_at)
                        VALUES (gen_random_uuid(), 'push', 'backlog', '1', 'BacklogGrew', 1, '{}', '{}', now() - ?::interval)
                        """).param(overdue).update();
    }

    private void insertRetrying(int failures) {
        insertRetrying(1, failures);
    }

    /** Events that failed some times, and whose next attempt is far off. */
    private void insertRetrying(int events, int failures) {
        jdbc.sql("""
                        WITH event AS (
                            INSERT INTO events.outbox_unpublished
                                   (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, retry_count, dispatched_at)
                            SELECT 'push', 'backlog', gen_random_uuid()::text, 1, 'BacklogGrew', '{}', 'RETRYING', ?, now()
                              FROM generate_series(1, ?)
                            RETURNING *
                        )
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status, next_retry_at)
                        SELECT id, 'push.send', stream, aggregate_type, aggregate_id, aggregate_seq, event_type, 'OPEN', now() + interval '1 h'
                          FROM event
                        """).param(failures).param(events).update();
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

    private void assertFires(String alert) {
        prometheus.assertResult("ALERTS{alertname=\"%s\",alertstate=\"firing\"}".formatted(alert));
    }

    private void assertFires(String alert, String stream) {
        prometheus.assertResult(
                "ALERTS{alertname=\"%s\",alertstate=\"firing\",stream=\"%s\"}".formatted(alert, stream));
    }

    private void assertSilent(String alert) {
        prometheus.assertNoResult("ALERTS{alertname=\"%s\"}".formatted(alert));
    }

    /** A copied scrape may show an event of another stream for ever. */
    private void assertSilent(String alert, String stream) {
        prometheus.assertNoResult("ALERTS{alertname=\"%s\",stream=\"%s\"}".formatted(alert, stream));
    }

    private static boolean isPositive(String scrape, String metric) {
        return Scrapes.values(scrape, metric).stream().anyMatch((value) -> value > 0);
    }

    private void scrape() {
        prometheus.scrape(read());
    }

    /** As if something else kept the stream from its events. */
    private void scrapeWithoutPause() {
        prometheus.scrape(withoutPause(read()));
    }

    private static String withoutPause(String scrape) {
        return scrape.replaceAll("(outbox_stream_paused\\{.*) 1.0", "$1 0.0");
    }

    private String read() {
        return read(Predicate.not(Scrapes::hasUnknownGauges));
    }

    private String read(Predicate<String> condition) {
        return await().pollInterval(STALE)
                .atMost(Api.DEADLINE)
                .until(() -> api.get("/actuator/prometheus").getBody(), condition);
    }
}
