package dev.outbox.internal.poll;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Pools;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The poller through outages of the database. */
@Tag("full")
class PollerOutageTest {

    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create(Pools.impatient());

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of("dev.outbox.internal").from(Level.INFO);

    @Test
    @Guarantee(value = "G2", sentence = "The poller survives a database outage and continues afterwards.")
    void pollerSurvivesDatabaseOutage() {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler)
                .poller(Duration.ofMillis(50), 50, Duration.ofMinutes(1))
                .start();
        publish(0, 3);
        outbox.awaitPublished(3);

        outbox.database().cutOff();
        // The sessions were ended one by one, so a round in between may have worked again; from here on none can.
        int before = log.messages().size();
        await().atMost(Duration.ofSeconds(30)).until(() -> !log.messages().isEmpty());
        await().during(Duration.ofSeconds(2))
                .until(() -> log.messages().size() <= before + 2 && last().contains("no connection to the database"));
        int during = log.messages().size();
        outbox.database().restore();
        // On the pool of the application: it may be back later than that of the owner.
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> outbox.inTransaction(() -> outbox.events()) == 3);
        publish(3, 6);
        await().atMost(Duration.ofSeconds(60)).until(() -> handler.handled().size() == 6);
        // Logged when the last task that failed has ended a round.
        await().untilAsserted(() -> assertThat(last()).startsWith("Outbox has a connection to the database again"));
        assertThat(log.messages()).hasSize(during + 1);
    }

    private String last() {
        List<String> messages = log.messages();
        return messages.get(messages.size() - 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Guarantee(
            value = "G2",
            sentence =
                    "Outcomes of first deliveries and of retries are written after an outage; no handler is repeated.")
    void writesOutcomesAfterOutageWithoutRepeatingHandlers(boolean retried) {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch cutOff = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            if (retried && attempt.number() == 1) {
                return new Exception("once");
            }
            handling.countDown();
            awaitLatch(cutOff);
            return null;
        });
        outbox.handler("any", "*", handler)
                .retry(TestOutbox.AT_ONCE)
                .poller(NEVER, 50, Duration.ofMinutes(1))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(handling);
        outbox.database().cutOff();
        cutOff.countDown();
        await().until(() -> handler.handled().size() == 1);
        // Longer than the pool waits for a connection, so that the settlement has failed by then.
        await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
        outbox.database().restore();

        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(outbox.statusOf(envelope)).isEqualTo("PUBLISHED"));
        assertThat(handler.attemptsOf(envelope)).isEqualTo(retried ? 2 : 1);
    }

    private List<EventEnvelope> publish(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj((number) -> outbox.publish("1", new OrderPlaced(number)))
                .toList();
    }
}
