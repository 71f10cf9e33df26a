package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeduplicatingBatchTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().retry(TestOutbox.AT_ONCE).stream(
            "default", new PollerSettings(Duration.ofMillis(50), 100, Duration.ofMinutes(1), Duration.ofSeconds(5)));

    private final AtomicBoolean once = new AtomicBoolean(true);
    private final List<List<EventEnvelope>> batches = new CopyOnWriteArrayList<>();

    @BeforeEach
    void createTable() {
        outbox.update("CREATE TABLE effect (event_id uuid)");
    }

    @Test
    @Guarantee(
            value = "G7",
            sentence =
                    "A deduplicating batch handler has its database effects exactly once, also if single events fail.")
    void effectsOfAFailedEventRollBackAndTheOthersStayOnce() {
        start((event, outcome) -> {
            if (event.sequence() == 2 && once.getAndSet(false)) {
                outcome.failed(event, new IllegalStateException("on purpose"));
            }
        });
        List<EventEnvelope> events = outbox.publishTogether(20, 4);

        outbox.awaitPublished(20);
        assertThat(effects()).containsExactlyInAnyOrderElementsOf(ids(events));
        assertThat(outbox.deduplicated()).isEqualTo(20);
        assertThat(outbox.failures()).isEqualTo(1);
    }

    @Test
    void handlerGetsOnlyWhatItHasNotProcessed() {
        List<EventEnvelope> events = outbox.publishTogether(8, 4);
        outbox.update(
                "INSERT INTO events.processed_event (event_id, handler_id) VALUES (?, 'index')",
                events.get(3).eventId());
        start((event, outcome) -> {});

        outbox.awaitPublished(8);
        assertThat(effects()).hasSize(7).doesNotContain(events.get(3).eventId());
    }

    @Test
    void allEventsFailWithoutAnyEffect() {
        start((event, outcome) -> {
            if (batches.size() == 1) {
                outcome.failed(event, new IllegalStateException("on purpose"));
            }
        });
        List<EventEnvelope> events = outbox.publishTogether(4, 4);

        outbox.awaitPublished(4);
        assertThat(effects()).containsExactlyInAnyOrderElementsOf(ids(events));
        assertThat(outbox.failures()).isEqualTo(4);
    }

    private interface Code {
        void handle(EventEnvelope event, BatchOutcome outcome);
    }

    private void start(Code code) {
        outbox.handler(HandlerDefinition.ofBatch("index", Set.of("*"), null, (payloads, events, outcome, context) -> {
                            batches.add(events);
                            for (EventEnvelope event : events) {
                                outbox.update("INSERT INTO effect VALUES (?)", event.eventId());
                                code.handle(event, outcome);
                            }
                        })
                        .deduplicating())
                .start();
    }

    private List<UUID> effects() {
        return outbox.values(UUID.class, "SELECT event_id FROM effect");
    }

    private static List<UUID> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }
}
