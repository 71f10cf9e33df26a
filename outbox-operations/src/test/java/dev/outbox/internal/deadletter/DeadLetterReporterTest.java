package dev.outbox.internal.deadletter;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.DeadLetterHandler;
import dev.outbox.HandlerDefinition.PayloadHandler;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.FailureLog;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Methods that handle the dead letters of a handler. */
class DeadLetterReporterTest {

    private static final Duration QUICK = Duration.ofMillis(50);
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(FailureLog.class).from(Level.INFO);

    private final TestOutbox other = outbox.another();
    private final List<DeadLetter> letters = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();

    @BeforeEach
    void createTable() {
        outbox.sql().sql("CREATE TABLE effect (event_id uuid)").update();
        outbox.retry(TestOutbox.AT_ONCE).poller(QUICK, 50, LEASE);
        other.retry(TestOutbox.AT_ONCE).poller(QUICK, 50, LEASE);
    }

    @Test
    void receivesTheEventAndTheLastErrorEachTimeItDies() {
        outbox.handler(failing(this::record)).start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        DeadLetter letter =
                await().until(() -> letters, (found) -> !found.isEmpty()).get(0);

        assertThat(letter.event().eventId()).isEqualTo(event.eventId());
        assertThat(letter.event().payload()).isEqualTo("{\"number\": 1}");
        assertThat(letter.handlerId()).isEqualTo("mail");
        assertThat(letter.errorCode()).isEqualTo("IllegalStateException");
        assertThat(letter.errorMessage()).isEqualTo("no mail server");
        assertThat(letter.failures()).isEqualTo(3);
        assertThat(outbox.event(event)).isDead();
        awaitAllReported();
        assertThat(letters).hasSize(1);

        Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.delivery(event.eventId(), "mail"), "ops", "the mail server is back");
        await().until(() -> letters.size() == 2);
    }

    @Test
    @Guarantee(
            value = "G8",
            sentence = "What a dead-letter method changes and publishes commits once with the mark of the dead letter.")
    void failedMethodIsRepeatedAndItsWorkCommitsOnce() {
        Recorded paid = Recorded.all();
        outbox.handler("paid", "OrderPaid", paid)
                .handler(failing((letter) -> {
                    insertEffect(letter);
                    outbox.publisher().publish("order", "2", new OrderPaid(1));
                    assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                            .isTrue();
                    if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("on purpose");
                    }
                }))
                .start();
        outbox.publish("1", new OrderPlaced(1));

        awaitAllReported();

        assertThat(calls).hasValue(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
        await().until(() -> paid.handled().size() == 1);
    }

    @Test
    void failuresThatAreAlikeLeaveALineAndACount() {
        outbox.handler(failing((letter) -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("on purpose");
                }))
                .start();
        for (int i = 0; i < 20; i++) {
            outbox.publish("" + i, new OrderPlaced(i));
        }
        await().until(() -> calls.get() >= 20 && outbox.deadDeliveries() == 20);
        outbox.runtime().close();

        String method = "The dead-letter method of handler mail";
        assertThat(log.messages())
                .satisfiesExactlyInAnyOrder(
                        (line) -> assertThat(line).startsWith("mail failed with OrderPlaced["),
                        (line) -> assertThat(line).startsWith("mail gave up on OrderPlaced["),
                        (line) -> assertThat(line)
                                .startsWith("mail failed 58 more times with IllegalStateException")
                                .contains(", and 19 more deliveries are dead"),
                        (line) -> assertThat(line).startsWith(method + " failed with OrderPlaced["),
                        (line) -> assertThat(line)
                                .startsWith(method + " failed ")
                                .contains(" more times with IllegalStateException"));
    }

    @Test
    void methodWhoseConnectionBreaksIsRepeated() {
        outbox.handler(failing((letter) -> {
                    insertEffect(letter);
                    if (calls.incrementAndGet() == 1) {
                        int own = outbox.sql()
                                .sql("SELECT pg_backend_pid()")
                                .query(Integer.class)
                                .single();
                        other.sql()
                                .sql("SELECT pg_terminate_backend(:pid)")
                                .param("pid", own)
                                .query(Boolean.class)
                                .single();
                    }
                }))
                .start();
        outbox.publish("1", new OrderPlaced(1));

        awaitAllReported();

        assertThat(calls).hasValue(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
    }

    @Test
    void failedCommitDelaysNoOtherDeadLetter() {
        outbox.sql()
                .sql("CREATE TABLE once (id int UNIQUE DEFERRABLE INITIALLY DEFERRED, event_id uuid)")
                .update();
        outbox.transactionManager(new JdbcTransactionManager(outbox.dataSource()))
                .handler(failing((letter) -> outbox.sql()
                        .sql("INSERT INTO once (id, event_id) SELECT 1, :id FROM generate_series(1, :rows)")
                        .param("id", letter.event().eventId())
                        .param("rows", letter.event().aggregateId().equals("1") ? 2 : 1)
                        .update()))
                .start();
        EventEnvelope refused = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope accepted = outbox.publish("2", new OrderPlaced(2));

        await().until(() -> outbox.count("once") == 1);

        assertThat(outbox.event(refused)).isDead();
        assertThat(outbox.sql()
                        .sql("SELECT event_id FROM once")
                        .query(UUID.class)
                        .single())
                .isEqualTo(accepted.eventId());
    }

    @Test
    void rollbackOnlyIsAFailure() {
        DataSourceTransactionManager manager = new DataSourceTransactionManager(outbox.dataSource());
        outbox.transactionManager(manager)
                .handler(failing((letter) -> {
                    insertEffect(letter);
                    TransactionStatus joined = manager.getTransaction(TransactionDefinition.withDefaults());
                    if (calls.incrementAndGet() == 1) {
                        joined.setRollbackOnly();
                    }
                    manager.commit(joined);
                }))
                .start();
        outbox.publish("1", new OrderPlaced(1));

        awaitAllReported();

        assertThat(calls).hasValue(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
    }

    @Test
    void failedMethodWaitsForTheTimeSinceTheLastAttempt() {
        outbox.handler(failing((letter) -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("on purpose");
                }))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.count("events.outbox_delivery WHERE report_at > 'epoch'") == 1);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET last_attempt_at = now() - interval '10 min', report_at = now()")
                .update();
        await().until(() -> calls.get() >= 2);

        await().untilAsserted(() -> assertThat(outbox.sql()
                        .sql(
                                "SELECT report_at - now() BETWEEN interval '9 min' AND interval '11 min' FROM events.outbox_delivery")
                        .query(Boolean.class)
                        .single())
                .isTrue());
    }

    @Test
    void newMethodReceivesExistingDeadLetters() {
        other.handler("mail", "OrderPlaced", Recorded.failing((attempt) -> new NonRetryableException("gone")))
                .start();
        EventEnvelope event = other.publish("1", new OrderPlaced(1));
        assertThat(other.event(event)).becomesDead();
        other.close();

        outbox.handler(handler("mail.send", (placed, envelope) -> {}).aliases("mail"))
                .start();

        DeadLetter letter =
                await().until(() -> letters, (found) -> !found.isEmpty()).get(0);
        assertThat(letter.handlerId()).isEqualTo("mail");
    }

    @Test
    void instancesShareDeadLetters() {
        for (TestOutbox instance : List.of(outbox, other)) {
            instance.handler(failing((letter) -> {
                        instance.sql()
                                .sql("INSERT INTO effect (event_id) VALUES (:id)")
                                .param("id", letter.event().eventId())
                                .update();
                    }))
                    .start();
        }
        outbox.publishTogether(200, 200);

        await().until(() -> outbox.count("effect") >= 200);
        awaitAllReported();

        assertThat(outbox.count("effect")).isEqualTo(200);
        assertThat(outbox.count("(SELECT DISTINCT event_id FROM effect) event")).isEqualTo(200);
    }

    @Test
    void methodNeedsATransactionManager() {
        outbox.transactionManager(null).handler(failing(this::record));

        assertThatThrownBy(outbox::start)
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("dead-letter method");
    }

    private HandlerDefinition handler(String id, PayloadHandler<OrderPlaced> code) {
        return HandlerDefinition.of(id, OrderPlaced.class, code).onDeadLetter(this::record);
    }

    private static HandlerDefinition failing(DeadLetterHandler deadLetters) {
        return HandlerDefinition.of("mail", OrderPlaced.class, (event, envelope) -> {
                    throw new IllegalStateException("no mail server");
                })
                .onDeadLetter(deadLetters);
    }

    private void record(DeadLetter letter) {
        letters.add(letter);
    }

    private void insertEffect(DeadLetter letter) {
        outbox.sql()
                .sql("INSERT INTO effect (event_id) VALUES (:id)")
                .param("id", letter.event().eventId())
                .update();
    }

    private void awaitAllReported() {
        await().until(() -> outbox.count("events.outbox_delivery WHERE report_at = 'infinity'") > 0
                && outbox.count("events.outbox_delivery WHERE report_at < 'infinity'") == 0);
    }
}
