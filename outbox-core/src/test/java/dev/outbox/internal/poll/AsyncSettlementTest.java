package dev.outbox.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A full batch of many aggregates is written while the next one is claimed and dispatched. */
class AsyncSettlementTest {

    private static final int BATCH = 50;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> publishedWhenHandled = Collections.synchronizedList(new ArrayList<>());

    /** A lock holds up each batch for a second at most, so one of them must show it, however slow the machine is. */
    @Test
    void nextBatchIsHandledWhileTheLastOneIsBeingWritten() throws SQLException {
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            configure((event) -> {
                int number = number(event);
                if (number % BATCH == BATCH - 1) {
                    other.run("SELECT FROM events.outbox_unpublished WHERE aggregate_id = '" + (number - BATCH + 1)
                            + "' FOR UPDATE");
                } else if (number > 0 && number % BATCH == 0) {
                    publishedWhenHandled.add(outbox.published() - (number - BATCH));
                    other.rollback();
                }
            });
            start();
            await().until(() -> handled.size() == 4 * BATCH);
            other.rollback();
            outbox.awaitPublished(4 * BATCH);
        }
        assertThat(publishedWhenHandled).hasSize(3).contains(0L);
        assertThat(handled).isEqualTo(numbers(4 * BATCH));
    }

    @Test
    void whatCouldNotBeWrittenIsWrittenLaterAndNotHandledAgain() {
        configure((event) -> {
            if (number(event) == 2 * BATCH - 1) {
                await().until(() -> outbox.value(Boolean.class, "SELECT is_called FROM refused"));
            }
        });
        refuseToWriteOnce();
        start();
        outbox.awaitPublished(4 * BATCH);
        assertThat(handled).isEqualTo(numbers(4 * BATCH));
        assertThat(outbox.deliveries()).isZero();
    }

    /** What runs before an event counts as handled. */
    @FunctionalInterface
    private interface Before {
        void handle(EventEnvelope event) throws SQLException;
    }

    private void configure(Before before) {
        outbox.handler("any", "*", (event) -> {
            before.handle(event);
            handled.add(event.aggregateId());
        });
        outbox.poller(Duration.ofMillis(50), BATCH, Duration.ofMinutes(1));
        outbox.runtime();
    }

    private void start() {
        IntStream.range(0, 4 * BATCH).forEach((number) -> outbox.publish("" + number, new OrderPlaced(number)));
        outbox.start();
    }

    /** The sequence keeps count although the transaction is rolled back. */
    private void refuseToWriteOnce() {
        outbox.update("CREATE SEQUENCE refused");
        outbox.update("""
                        CREATE FUNCTION refuse_first() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF nextval('refused') = 1 THEN
                                RAISE EXCEPTION 'broken';
                            END IF;
                            RETURN NEW;
                        END
                        $$
                        """);
        outbox.update("CREATE TRIGGER broken BEFORE INSERT ON events.outbox_published"
                + " FOR EACH ROW EXECUTE FUNCTION refuse_first()");
    }

    private static int number(EventEnvelope event) {
        return Integer.parseInt(event.aggregateId());
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }
}
