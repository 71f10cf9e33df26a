package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryOperationTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final DeliverySelection MAIL = DeliverySelection.all().ofHandler("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);

    @Test
    @Guarantee(value = "G8", sentence = "Dead events that an operator retries reach their handler in order.")
    void retriedDeadEventsReachTheirHandlerInOrder() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) -> down.get() ? new NonRetryableException("down") : null);
        outbox.handler("mail", "*", mail).poller(NEVER, 50, Duration.ofMinutes(1));
        List<EventEnvelope> events = outbox.publishOrders("1", 20);
        outbox.start();
        await().until(() -> count(DeliveryStatus.DEAD) == 20);
        down.set(false);

        assertThat(retry(MAIL)).isEqualTo(new Changed(20, 0));

        outbox.awaitPublished(20);
        assertThat(mail.sequences())
                .isEqualTo(
                        Map.of("1", events.stream().map(EventEnvelope::sequence).toList()));
        assertThat(events).allMatch((event) -> mail.attemptsOf(event) == 2);
    }

    @Test
    void retriedBlockingDeadLetterReleasesItsLaneInOrder() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded ledger = Recorded.failing((attempt) ->
                attempt.envelope().sequence() == 2 && down.get() ? new NonRetryableException("down") : null);
        outbox.handler(HandlerDefinition.of("ledger", Set.of("*"), ledger).onDead(OnDead.BLOCK))
                .poller(NEVER, 50, Duration.ofMinutes(1));
        outbox.publishOrders("1", 5);
        outbox.start();
        await().until(() ->
                lanes.of("ledger", "1").equals(List.of("2 BLOCKING 1", "3 OPEN 0", "4 OPEN 0", "5 OPEN 0")));
        down.set(false);

        assertThat(retry(DeliverySelection.lane("ledger", "order", "1"))).isEqualTo(new Changed(1, 0));

        outbox.awaitPublished(5);
        assertThat(ledger.sequences()).isEqualTo(Map.of("1", List.of(1L, 2L, 3L, 4L, 5L)));
    }

    @Test
    void retryWakesWorkersOfOtherProcesses() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) -> down.get() ? new NonRetryableException("down") : null);
        outbox.withNotifications().withoutPolling().start();
        try (TestOutbox worker = outbox.another()
                .withNotifications()
                .handler("mail", "*", mail)
                .poller(NEVER, 50, Duration.ofMinutes(1))) {
            worker.start();
            await().until(() ->
                    outbox.count("pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()") == 1);
            EventEnvelope event = outbox.publishOrders("1", 1).get(0);
            assertThat(outbox.event(event)).becomesDead();
            down.set(false);

            assertThat(retry(MAIL).affected()).isEqualTo(1);
            assertThat(outbox.event(event)).becomesPublished();
        }
    }

    @Test
    void retryMakesDeadDeliveryDueWithFreshAttempts() throws SQLException {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.dead("mail", event);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET open_since = now() - interval '1 day'")
                .update();

        assertThat(retry(DeliverySelection.delivery(event.eventId(), "mail"))).isEqualTo(new Changed(1, 0));

        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0");
        assertThat(GaugeSteps.count(outbox.dataSource()).get("default").oldestRetrying())
                .isBetween(Duration.ofNanos(1), Duration.ofHours(1));
        assertThat(outbox.sql()
                        .sql(
                                "SELECT attempt_count FROM events.outbox_delivery WHERE next_retry_at <= clock_timestamp()")
                        .query(Integer.class)
                        .single())
                .isEqualTo(3);
        assertThat(outbox.sql()
                        .sql("SELECT status, attempt_count, retry_count, next_retry_at IS NOT NULL AS due, last_error"
                                + " FROM events.outbox")
                        .query()
                        .singleRow())
                .isEqualTo(Map.of(
                        "status",
                        "RETRYING",
                        "attempt_count",
                        0,
                        "retry_count",
                        0,
                        "due",
                        true,
                        "last_error",
                        "no route"));
    }

    /** Whatever comes behind it, and whatever comes before. */
    @ParameterizedTest
    @CsvSource({
        "dead failed waiting, 1, 1 OPEN 0|2 OPEN 1|3 OPEN 0",
        "dead blocking waiting, 1, 1 OPEN 0|2 BLOCKING 3|3 OPEN 0",
        "dead blocking waiting, 1 2, 1 OPEN 0|2 OPEN 0|3 OPEN 0",
        "failed waiting dead, 3, 1 OPEN 1|2 OPEN 0|3 OPEN 0",
        "dead none dead dead, 3 1 4, 1 OPEN 0|3 OPEN 0|4 OPEN 0"
    })
    void retriedDeliveryTakesItsPlaceInTheLane(String deliveries, String retried, String lane) {
        List<EventEnvelope> events = leave(deliveries.split(" "));

        for (String sequence : retried.split(" ")) {
            EventEnvelope event = events.get(Integer.parseInt(sequence) - 1);
            assertThat(retry(DeliverySelection.delivery(event.eventId(), "mail")))
                    .isEqualTo(new Changed(1, 0));
        }

        assertThat(lanes.of("mail", "1")).containsExactly(lane.split("\\|"));
    }

    private List<EventEnvelope> leave(String... deliveries) {
        List<EventEnvelope> events = outbox.publishOrders("1", deliveries.length);
        for (int i = 0; i < deliveries.length; i++) {
            EventEnvelope event = events.get(i);
            switch (deliveries[i]) {
                case "dead" -> lanes.dead("mail", event);
                case "blocking" -> lanes.blocking("mail", event);
                case "failed" -> lanes.failed("mail", event);
                case "waiting" -> lanes.waiting("mail", event);
                default -> assertThat(deliveries[i]).isEqualTo("none");
            }
        }
        return events;
    }

    @Test
    void retryLeavesDeliveryWithoutFailures() {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.failed("mail", events.get(0));
        lanes.waiting("mail", events.get(1));

        assertThat(retry(MAIL)).isEqualTo(new Changed(1, 0));
        assertThat(outbox.count("events.outbox_delivery WHERE next_retry_at <= clock_timestamp()"))
                .isEqualTo(2);
        assertThat(retry(MAIL)).isEqualTo(new Changed(0, 0));
        assertThat(outbox.operations()).isEqualTo(1);
    }

    @Test
    void retriesDeliveryOfPublishedEvent() {
        Recorded mail = Recorded.all();
        outbox.handler("mail", "*", mail);
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.published(event);
        lanes.dead("mail", event);

        assertThat(retry(MAIL)).isEqualTo(new Changed(1, 0));
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0");
        outbox.start();
        await().until(() -> outbox.deliveries() == 0);
        assertThat(mail.sequences()).isEqualTo(Map.of("1", List.of(1L)));
        assertThat(outbox.event(event)).isPublished();
    }

    @Test
    @Tag("full")
    void changesLargeSelectionInBatches() {
        int count = 1203;
        outbox.publishTogether(count, 7).forEach((event) -> lanes.dead("mail", event));

        assertThat(retry(MAIL)).isEqualTo(new Changed(count, 0));
        assertThat(outbox.sql()
                        .sql(
                                "SELECT string_agg(first_seq || ' ' || aggregate_id, ',' ORDER BY aggregate_id) FROM events.outbox_lane")
                        .query(String.class)
                        .single())
                .isEqualTo("1 order-0,1 order-1,1 order-2,1 order-3,1 order-4,1 order-5,1 order-6");
        assertThat(count(DeliveryStatus.OPEN)).isEqualTo(count);
    }

    private Changed retry(DeliverySelection selection) {
        return Operator.of(outbox).operations().retry(selection, "ann", "mail is back");
    }

    private long count(DeliveryStatus status) {
        return Operator.of(outbox)
                .operations()
                .count(DeliverySelection.all().withStatus(status))
                .value();
    }
}
