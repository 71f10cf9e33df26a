package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Pools;
import dev.outbox.fixture.TestOutbox;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a stopped instance says that it left. */
class StopReportTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create(Pools.impatient());

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(StreamWorkers.class).from(Level.INFO);

    @Test
    void namesRunningHandlersAndEventsThatWait() {
        CountDownLatch handling = new CountDownLatch(1);
        outbox.handler("mail", "*", (event) -> {
                    handling.countDown();
                    await().until(() -> log.messages().stream().anyMatch((line) -> line.startsWith("Waiting for")));
                })
                .start();
        outbox.publish("1", new OrderPlaced(1));
        await().until(() -> handling.getCount() == 0);
        outbox.publish("1", new OrderPlaced(2));
        outbox.publish("1", new OrderPlaced(3));

        outbox.runtime().close();

        assertThat(log.messages())
                .last()
                .isEqualTo("Outbox stopped: handlers that were running: 1; events that wait: 2");
    }

    @Test
    void leavesOutDeadLetters() {
        outbox.handler("mail", "*", (event) -> {
                    throw new NonRetryableException("no such customer");
                })
                .start();
        assertThat(outbox.event(outbox.publish("1", new OrderPlaced(1)))).becomesDead();

        outbox.runtime().close();

        assertThat(log.messages())
                .containsExactly("Outbox stopped: handlers that were running: 0; events that wait: 0");
    }

    @Test
    void countStopsAtItsBound() {
        outbox.handler("mail", "*", (event) -> {}).start();
        outbox.runtime().close();
        outbox.sql().sql("""
                INSERT INTO events.outbox (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                SELECT 'unpolled', 'order', n::text, 1, 'OrderPlaced', '{}' FROM generate_series(1, 1001) n
                """).update();
        outbox.start();

        outbox.runtime().close();

        assertThat(log.messages())
                .containsExactly(
                        "Outbox stopped: handlers that were running: 0; events that wait: 0",
                        "Outbox stopped: handlers that were running: 0; events that wait: 1,000+");
    }

    @Test
    void countsNothingIfTheDatabaseIsAway() {
        LoggedLines outage = LoggedLines.of("dev.outbox.internal.background").from(Level.INFO);
        outbox.handler("mail", "*", (event) -> {}).start();
        outbox.database().cutOff();
        await().until(() -> outage.messages().stream().anyMatch((line) -> line.startsWith("Outbox has no connection")));

        outbox.runtime().close();
        outage.afterEach(null);

        assertThat(log.messages()).last().isEqualTo("Outbox stopped: handlers that were running: 0");
    }

    @Test
    void saysNothingIfNoPollerRan() {
        outbox.withoutPolling().start();

        outbox.runtime().close();

        assertThat(log.messages()).isEmpty();
    }
}
