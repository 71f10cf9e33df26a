package dev.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxException;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A publisher refuses an event with an error of the library and leaves the transaction usable, or delivers it unchanged. */
@Tag("full")
class PublisherFuzzTest {

    private static final Set<Class<? extends OutboxException>> REFUSALS =
            Set.of(InvalidEventException.class, EventConflictException.class);

    private static final Map<UUID, EventEnvelope> HANDLED = new ConcurrentHashMap<>();
    private static final TestOutbox OUTBOX =
            TestOutbox.create().publisher(new PublisherSettings(HostileEvents.LARGEST_PAYLOAD, Unrouted.WARN)).stream(
                            HostileEvents.ODD_STREAM, PollerSettings.defaults())
                    .handler("all", "*", (envelope) -> HANDLED.put(envelope.eventId(), envelope));

    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final Set<UUID> published = new HashSet<>();
    private int witnesses;

    private record Accepted(OutboxEvent event, EventEnvelope envelope) {}

    @BeforeAll
    static void start() {
        OUTBOX.update("CREATE TABLE witness (n integer)");
        OUTBOX.start();
    }

    @AfterAll
    static void close() {
        OUTBOX.close();
    }

    @Test
    void refusesWithTypedErrorsOrDeliversUnchanged() {
        check(Cases.few("publisher", 50));
    }

    @Test
    @Tag("chaos")
    void refusesWithTypedErrorsOrDeliversUnchangedInAllCases() {
        check(Cases.all("publisher", 50));
    }

    private void check(Cases cases) {
        OUTBOX.update("TRUNCATE witness");
        cases.inBatches(250, this::publish);

        System.out.println("publisher: " + outcomes);
        assertThat(outcomes.keySet())
                .contains("accepted")
                .contains("payload that is too large", "payload that is no JSON")
                .containsAll(REFUSALS.stream().map(Class::getSimpleName).toList());
        int all = outcomes.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(outcomes.get("accepted")).isGreaterThan(all / 4);
    }

    private void publish(Random random, int count) {
        HostileEvents events = new HostileEvents(new Hostile(random));
        List<Accepted> accepted = new ArrayList<>();
        for (int done = 0; done < count; ) {
            int inTransaction = Math.min(1 + random.nextInt(20), count - done);
            accepted.addAll(OUTBOX.inTransaction(() -> publishInTransaction(events, random, inTransaction)));
            done += inTransaction;
        }
        assertThat(OUTBOX.count("witness")).isEqualTo(witnesses);
        List<Accepted> fresh = accepted.stream()
                .filter((one) -> published.add(one.envelope().eventId()))
                .toList();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> fresh.stream()
                        .allMatch((one) -> HANDLED.containsKey(one.envelope().eventId())));
        fresh.forEach((one) -> assertUnchanged(one, HANDLED.get(one.envelope().eventId())));
        HANDLED.clear();
    }

    private List<Accepted> publishInTransaction(HostileEvents events, Random random, int count) {
        List<Accepted> accepted = new ArrayList<>();
        for (int done = 0; done < count; ) {
            List<OutboxEvent> batch = new ArrayList<>();
            int size = random.nextInt(3) > 0 ? 1 : Math.min(1 + random.nextInt(4), count - done);
            for (int i = 0; i < size; i++) {
                batch.add(events.next());
            }
            done += size;
            try {
                List<EventEnvelope> envelopes = batch.size() == 1
                        ? List.of(OUTBOX.publisher().publish(batch.get(0)))
                        : OUTBOX.publisher().publishAll(batch);
                for (int i = 0; i < size; i++) {
                    accepted.add(new Accepted(batch.get(i), envelopes.get(i)));
                }
                outcomes.merge("accepted", size, Integer::sum);
            } catch (OutboxException ex) {
                assertThat(REFUSALS).contains(ex.getClass());
                assertThat(ex.getMessage()).hasSizeLessThan(2000);
                outcomes.merge(kind(ex), size, Integer::sum);
                assertTransactionIsUsable();
            }
        }
        return accepted;
    }

    private static String kind(OutboxException refusal) {
        String message = String.valueOf(refusal.getMessage());
        if (message.contains("outbox.publisher.max-payload-size")) {
            return "payload that is too large";
        }
        return message.contains("cannot be written as JSON") || message.contains("refers to itself")
                ? "payload that is no JSON"
                : refusal.getClass().getSimpleName();
    }

    private void assertTransactionIsUsable() {
        assertThat(OUTBOX.value(Integer.class, "SELECT 1")).isEqualTo(1);
        OUTBOX.update("INSERT INTO witness VALUES (1)");
        witnesses++;
    }

    private static void assertUnchanged(Accepted accepted, EventEnvelope handled) {
        OutboxEvent event = accepted.event();
        EventEnvelope stored = accepted.envelope();
        assertThat(handled).usingRecursiveComparison().ignoringFields("payload").isEqualTo(stored);
        assertThat(Json.same(stored.payload(), handled.payload()))
                .as("%s and %s", stored.payload(), handled.payload())
                .isTrue();
        assertThat(handled.aggregateType()).isEqualTo(event.aggregateType());
        assertThat(handled.aggregateId()).isEqualTo(event.aggregateId());
        assertThat(handled.headers()).isEqualTo(new HashMap<>(event.headers()));
        assertThat(Json.same(Json.write(event.payload()), handled.payload())).isTrue();
        assertThat(event.occurredAt())
                .satisfiesAnyOf(
                        (chosen) -> assertThat(chosen).isNull(),
                        (chosen) -> assertThat(chosen.truncatedTo(ChronoUnit.MICROS))
                                .isEqualTo(handled.occurredAt()));
        assertThat(event.eventType())
                .satisfiesAnyOf(
                        (chosen) -> assertThat(chosen).isNull(),
                        (chosen) -> assertThat(chosen).isEqualTo(handled.eventType()));
        if (event.payload() instanceof HostileEvents.Odd odd) {
            assertThat(Json.read(handled.payload(), HostileEvents.Odd.class).text())
                    .isEqualTo(odd.text());
        }
    }
}
