package dev.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a handler throws, its event becomes a dead letter with a code and a message. */
class HandlerErrorsFuzzTest {

    private static final Map<String, Throwable> ERRORS = new ConcurrentHashMap<>();
    private static final TestOutbox OUTBOX = TestOutbox.create()
            .poller(Duration.ofMillis(20), 200, Duration.ofSeconds(60))
            .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 1))
            .handler("fails", "OrderPlaced", (envelope) -> {
                Throwable error = ERRORS.get(envelope.aggregateId());
                if (error instanceof Error fatal) {
                    throw fatal;
                }
                throw (Exception) error;
            });

    /** Its own code fails. */
    private static final class Broken extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final boolean alsoCause;

        Broken(boolean alsoCause) {
            this.alsoCause = alsoCause;
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            if (alsoCause) {
                throw new IllegalStateException("no cause");
            }
            return null;
        }
    }

    @BeforeAll
    static void start() {
        OUTBOX.start();
    }

    @AfterAll
    static void close() {
        OUTBOX.close();
    }

    @Test
    void deadLettersWhateverIsThrown() {
        check(Cases.few("handler errors", 5));
    }

    @Test
    @Tag("chaos")
    void deadLettersWhateverIsThrownInAllCases() {
        check(Cases.all("handler errors", 5));
    }

    private void check(Cases cases) {
        cases.inBatches(100, this::fail);
    }

    private void fail(Random random, int count) {
        Hostile values = new Hostile(random);
        ERRORS.clear();
        long before = OUTBOX.deadDeliveries();
        long lastId = OUTBOX.sql()
                .sql("SELECT coalesce(max(outbox_id), 0) FROM events.outbox_delivery")
                .query(Long.class)
                .single();
        for (int i = 0; i < count; i++) {
            String id = "e" + i;
            ERRORS.put(id, error(values, 3));
            OUTBOX.publish(id, new OrderPlaced(i));
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> OUTBOX.deadDeliveries() == before + count);
        List<Delivery> dead =
                Operator.of(OUTBOX).operations().find(DeliverySelection.all().after(lastId, "fails"), count);
        assertThat(dead).hasSize(count).allSatisfy((delivery) -> {
            assertThat(delivery.attempts().lastFailure().code()).hasSizeLessThanOrEqualTo(255);
            assertThat(delivery.attempts().lastFailure().message()).isNotNull().hasSizeLessThanOrEqualTo(2000);
        });
    }

    private static Throwable error(Hostile values, int depth) {
        String message = values.oneIn(50) ? values.text().repeat(20_000) : values.text() + "!";
        Throwable error = switch (values.random().nextInt(8)) {
            case 0 -> new StackOverflowError(message);
            case 1 -> new AssertionError(message);
            case 2 -> new SQLException(message, "22P02");
            case 3 -> new SQLException("ERROR: " + message + "\n  Detail: " + message, values.text());
            case 4 -> new RuntimeException();
            case 5 -> new Broken(values.oneIn(2));
            default -> new IllegalStateException(message);
        };
        if (!(error instanceof Broken) && depth > 0 && values.oneIn(2)) {
            error.initCause(error(values, depth - 1));
        }
        if (values.oneIn(3)) {
            Throwable suppressed = new Exception(message, error);
            error.addSuppressed(suppressed);
        }
        return error;
    }
}
