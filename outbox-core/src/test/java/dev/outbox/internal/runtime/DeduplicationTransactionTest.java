package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.listener.OutboxListener;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Transactions of deduplicating handlers: what they contain, and where they are impossible. */
class DeduplicationTransactionTest {

    private static final Duration QUICK = Duration.ofMillis(50);
    private static final Duration LEASE = Duration.ofMinutes(1);

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
        outbox.sql()
                .sql(
                        "CREATE TABLE effect (event_id uuid, copy int, UNIQUE (event_id, copy) DEFERRABLE INITIALLY DEFERRED)")
                .update();
        outbox.listener(listener).retry(TestOutbox.AT_ONCE).poller(QUICK, 50, LEASE);
        other.listener(listener).retry(TestOutbox.AT_ONCE).poller(QUICK, 50, LEASE);
    }

    @AfterEach
    void close() {
        other.close();
        outbox.close();
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
        assertThat(outbox.sql()
                        .sql("SELECT retry_count FROM events.outbox")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void innerTransactionThatWantsToRollBackIsAFailedAttempt() {
        Recorded handler = Recorded.failing((attempt) -> {
            outbox.transactions().executeWithoutResult((status) -> {
                if (attempt.number() == 1) {
                    status.setRollbackOnly();
                }
            });
            return null;
        });
        outbox.handler(once(outbox, handler)).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(handler.attemptsOf(envelope)).isEqualTo(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
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

        await().until(() -> outbox.count("events.outbox_published") == 2);
        assertThat(paid.handled()).singleElement().satisfies((event) -> {
            assertThat(event.aggregateSeq()).isEqualTo(1);
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
        assertThat(outbox.count("events.processed_event")).isZero();
        assertThat(outbox.sql()
                        .sql("SELECT last_error FROM events.outbox_delivery")
                        .query(String.class)
                        .single())
                .contains("transaction manager of its DataSource");
    }

    private static HandlerDefinition once(TestOutbox process, EnvelopeHandler rest) {
        return HandlerDefinition.of("once", Set.of("OrderPlaced"), (envelope) -> {
                    insertEffect(process, envelope);
                    rest.handle(envelope);
                })
                .deduplicating();
    }

    private static void insertEffect(TestOutbox process, EventEnvelope envelope) {
        process.sql()
                .sql("INSERT INTO effect VALUES (?, 1)")
                .param(envelope.eventId())
                .update();
    }

    /** Outside the handler's transaction, as an operator or a poller that finds the claims expired would. */
    private void loseLeases() {
        JdbcClient.create(outbox.database().dataSource())
                .sql("DELETE FROM events.outbox_claim")
                .update();
    }
}
