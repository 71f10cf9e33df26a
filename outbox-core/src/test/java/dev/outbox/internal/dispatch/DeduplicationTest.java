package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

class DeduplicationTest {

    private static final Duration QUICK = Duration.ofMillis(50);
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox other = outbox.another();
    private final AtomicInteger duplicates = new AtomicInteger();
    private final AtomicInteger leasesLost = new AtomicInteger();
    private final OutboxListener listener = new OutboxListener() {
        @Override
        public void deduplicated(String stream, String handlerId) {
            duplicates.incrementAndGet();
        }

        @Override
        public void leaseLost(String stream) {
            leasesLost.incrementAndGet();
        }
    };

    @BeforeEach
    void createTable() {
        outbox.update(
                "CREATE TABLE effect (event_id uuid, copy int, UNIQUE (event_id, copy) DEFERRABLE INITIALLY DEFERRED)");
        outbox.listener(listener).retry(TestOutbox.AT_ONCE).poller(QUICK, 50, LEASE);
        other.listener(listener).retry(TestOutbox.AT_ONCE).poller(QUICK, 50, LEASE);
    }

    @Test
    @Guarantee(value = "G7", sentence = "Database effects happen exactly once, with lost leases and several workers.")
    void databaseEffectsHappenExactlyOnce() {
        Recorded handler = Recorded.failing((attempt) -> {
            loseLeases();
            return attempt.number() == 1 && attempt.envelope().sequence() % 3 == 0
                    ? new IOException("on purpose")
                    : null;
        });
        outbox.handler(once(outbox, handler)).start();
        other.handler(once(other, handler)).start();
        List<EventEnvelope> events = IntStream.range(0, 60)
                .mapToObj((number) -> outbox.publish("order-" + number % 10, new OrderPlaced(number)))
                .toList();

        outbox.awaitPublished(events.size());
        assertThat(outbox.values(UUID.class, "SELECT event_id FROM effect"))
                .containsExactlyInAnyOrderElementsOf(
                        events.stream().map(EventEnvelope::eventId).toList());
        assertThat(outbox.deduplicated()).isEqualTo(events.size());
        assertThat(leasesLost).hasPositiveValue();
        assertThat(duplicates).hasPositiveValue();
    }

    @Test
    @Guarantee(
            value = "G7",
            sentence = "Of two workers with the same event, the second waits and does nothing if the first succeeds.")
    void secondWorkerWaitsAndSkipsHandledEvent() {
        Recorded second = Recorded.all();
        EventEnvelope envelope = handleAtTheSameTime(null, second);

        assertThat(outbox.event(envelope)).becomesPublished();
        await().untilAsserted(() -> assertThat(leasesLost).hasValue(1));
        assertThat(second.attemptsOf(envelope)).isZero();
        assertThat(outbox.count("effect")).isEqualTo(1);
        assertThat(duplicates).hasValue(1);
    }

    @Test
    void secondWorkerHandlesEventIfFirstFails() {
        Recorded second = Recorded.all();
        EventEnvelope envelope = handleAtTheSameTime(new IOException("on purpose"), second);

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(second.attemptsOf(envelope)).isEqualTo(1);
        assertThat(outbox.count("effect")).isEqualTo(1);
        assertThat(duplicates).hasValue(0);
    }

    /** The first worker loses its lease inside the handler, and does not end before the second waits for it. */
    private EventEnvelope handleAtTheSameTime(Exception outcomeOfTheFirst, EnvelopeHandler second) {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        outbox.handler(once(outbox, (envelope) -> {
                    loseLeases();
                    handling.countDown();
                    awaitLatch(release);
                    if (outcomeOfTheFirst != null) {
                        throw outcomeOfTheFirst;
                    }
                }))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(handling);
        other.handler(once(other, second)).start();
        await().until(() -> outbox.count("pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO%processed_event%'")
                == 1);
        release.countDown();
        return envelope;
    }

    static List<Throwable> failures() {
        return List.of(
                new IOException("checked"),
                new IllegalStateException("unchecked"),
                new AssertionError("error"),
                new RetryAfterException(Duration.ZERO, "later"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    @Guarantee(value = "G7", sentence = "A failed attempt has no effects.")
    void failedAttemptLeavesNothingAndIsRepeated(Throwable failure) {
        List<Long> found = new ArrayList<>();
        outbox.handler(once(outbox, (envelope) -> {
                    JdbcClient outside = JdbcClient.create(outbox.database().dataSource());
                    found.add(outside.sql(
                                    "SELECT (SELECT count(*) FROM effect) + (SELECT count(*) FROM events.processed_event)")
                            .query(Long.class)
                            .single());
                    if (found.size() == 1) {
                        sneakyThrow(failure);
                    }
                }))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(found).containsExactly(0L, 0L);
        assertThat(outbox.count("effect")).isEqualTo(1);
        assertThat(outbox.deduplicated()).isEqualTo(1);
        assertThat(duplicates).hasValue(0);
    }

    private static HandlerDefinition once(TestOutbox process, EnvelopeHandler rest) {
        return HandlerDefinition.of("once", Set.of("OrderPlaced"), (envelope) -> {
                    insertEffect(process, envelope);
                    rest.handle(envelope);
                })
                .deduplicating();
    }

    private static void insertEffect(TestOutbox process, EventEnvelope envelope) {
        process.update("INSERT INTO effect VALUES (?, 1)", envelope.eventId());
    }

    /** Outside the handler's transaction, as an operator or a poller that finds the claims expired would. */
    private void loseLeases() {
        JdbcClient.create(outbox.database().dataSource())
                .sql("DELETE FROM events.outbox_claim")
                .update();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneakyThrow(Throwable ex) throws E {
        throw (E) ex;
    }

    @Test
    void failedCommitIsAFailedAttempt() {
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.number() == 1) {
                insertEffect(outbox, attempt.envelope());
            }
            return null;
        });
        outbox.handler(once(outbox, handler)).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(handler.attemptsOf(envelope)).isEqualTo(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
        assertThat(outbox.value(Integer.class, "SELECT retry_count FROM events.outbox"))
                .isEqualTo(1);
    }

    @Test
    void publishedEventsCommitWithTheHandlersEffects() {
        Recorded paid = Recorded.all();
        Recorded placed = Recorded.failing((attempt) -> {
            outbox.publisher().publish("invoice", "1", new OrderPaid(attempt.number()));
            loseLeases();
            return attempt.number() == 1 ? new IOException("on purpose") : null;
        });
        outbox.handler(HandlerDefinition.of("placed", OrderPlaced.class, (event, envelope) -> placed.handle(envelope))
                        .deduplicating())
                .handler("paid", "OrderPaid", paid)
                .start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(2);
        assertThat(paid.handled()).singleElement().satisfies((event) -> {
            assertThat(event.sequence()).isEqualTo(1);
            assertThat(event.payload()).contains("2");
        });
    }

    @Test
    void handlersOfOneEventAreDeduplicatedEachForItself() {
        Recorded first = Recorded.all();
        Recorded second = Recorded.all();
        outbox.handler(HandlerDefinition.of("first", Set.of("*"), first).deduplicating())
                .handler(HandlerDefinition.of("second", Set.of("*"), second).deduplicating())
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(first.attemptsOf(envelope)).isEqualTo(1);
        assertThat(second.attemptsOf(envelope)).isEqualTo(1);
        assertThat(duplicates).hasValue(0);
    }

    @Test
    void deduplicatingHandlerWithoutTransactionManagerIsRefused() {
        outbox.handler(once(outbox, (envelope) -> {})).transactionManager(null);

        assertThatThrownBy(outbox::start)
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("'once'")
                .hasMessageContaining("transaction manager");
    }

    @Test
    void handlerIsNotInvokedInATransactionOfAnotherDataSource() {
        Recorded handler = Recorded.all();
        outbox.handler(once(outbox, handler))
                .transactionManager(
                        new DataSourceTransactionManager(outbox.database().dataSource()))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesDead();
        assertThat(handler.attemptsOf(envelope)).isZero();
        assertThat(outbox.deduplicated()).isZero();
        assertThat(outbox.value(String.class, "SELECT last_error FROM events.outbox_delivery"))
                .contains("transaction manager of its DataSource");
    }
}
