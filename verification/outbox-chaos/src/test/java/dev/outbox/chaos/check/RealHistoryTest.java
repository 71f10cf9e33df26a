package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.liveness.Service;
import dev.outbox.operations.DeliverySelection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checker reads what the real library does, accepts it, and notices when it is tampered with. */
@Tag("full")
class RealHistoryTest {

    private static final int TRANSACTIONS = 240;
    private static final int EVENTS = 10;
    private static final int MAX_ATTEMPTS = 3;
    private static final CheckSettings SETTINGS = CheckSettings.defaults().withMaxAttempts(MAX_ATTEMPTS);

    private final Set<UUID> failedOnce = ConcurrentHashMap.newKeySet();

    @TempDir
    private Path directory;

    private List<HandlerDefinition> handlers(Service service, String instance) {
        HandlerDefinition mail = HandlerDefinition.of("mail", Set.of("*"), (event) -> {});
        HandlerDefinition flaky = HandlerDefinition.of("flaky", Set.of("Traded"), this::failSometimes);
        HandlerDefinition booker = HandlerDefinition.of(
                        "booker", Set.of("Traded"), (event) -> service.book(instance, event.eventId(), "booker"))
                .deduplicating();
        return List.of(mail, flaky, booker);
    }

    private void failSometimes(EventEnvelope event) {
        if (event.headers().containsKey("poison")) {
            throw new NonRetryableException("poison");
        }
        if (event.headers().containsKey("dies")) {
            throw new IllegalStateException("fails each time");
        }
        if (event.headers().containsKey("fails") && failedOnce.add(event.eventId())) {
            throw new IllegalStateException("fails once");
        }
    }

    @Test
    void realRunIsCleanUntilItIsTamperedWith() throws Exception {
        try (Service run = new Service(directory)) {
            for (String instance : List.of("worker-1", "worker-2")) {
                run.start(
                        instance,
                        handlers(run, instance),
                        "--outbox.retry.delays=100ms",
                        "--outbox.retry.max-attempts=" + MAX_ATTEMPTS);
            }
            publish(run);
            await().atMost(Duration.ofSeconds(60)).until(() -> isDrained(run));
            run.operations().retry(DeliverySelection.all().ofHandler("flaky"), "ann", "try again");
            await().atMost(Duration.ofSeconds(60)).until(() -> isDrained(run));
            run.operations()
                    .skip(
                            DeliverySelection.all().ofHandler("flaky").withErrorCode("NonRetryableException"),
                            "ann",
                            "no");

            Report report = run.check(SETTINGS);

            assertThat(report.isClean()).as(report::toString).isTrue();
            assertThat(report.notChecked()).isEmpty();
            assertThat(report.ok()).isEqualTo((TRANSACTIONS - TRANSACTIONS / 10) * EVENTS);
            assertThat(report.absent()).isEqualTo(TRANSACTIONS / 10 * EVENTS);
            assertThat(report.duplicated()).isZero();
            assertThat(report.dead()).isEqualTo(TRANSACTIONS / 30);
            assertThat(report.executions()).isGreaterThan(report.ok() * 3);
            assertTamperingIsNoticed(run);
        }
    }

    private static boolean isDrained(Service run) {
        return run.sql()
                .sql("SELECT NOT EXISTS (SELECT FROM events.outbox_unpublished o WHERE o.status <> 'DEAD')")
                .query(Boolean.class)
                .single();
    }

    private static void publish(Service run) throws Exception {
        ExecutorService publishers = Executors.newFixedThreadPool(2);
        List<Future<?>> results = new ArrayList<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            int transaction = i;
            results.add(publishers.submit(() -> run.publish(events(transaction), transaction % 10 != 9)));
        }
        publishers.shutdown();
        assertThat(publishers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        for (Future<?> result : results) {
            result.get();
        }
    }

    /** Aggregates in the order of their names, so that publishers do not wait for each other in a circle. */
    private static List<IntendedEvent> events(int transaction) {
        Random random = new Random(transaction);
        List<IntendedEvent> events = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            String payload = "{\"text\":\"ä\\n\\u0001\\\"" + random.nextInt() + "\",\"n\":" + random.nextDouble()
                    + ",\"list\":[1,null,{}],\"a\":" + random.nextLong() + "}";
            UUID id = new UUID(random.nextLong(), random.nextLong());
            events.add(new IntendedEvent(
                    id, "Traded", "account", "a" + (i * 3 + random.nextInt(3) + 10), payload, headers(transaction, i)));
        }
        return events;
    }

    private static Map<String, String> headers(int transaction, int event) {
        return event != 5
                ? Map.of()
                : switch (transaction % 30) {
                    case 3 -> Map.of("dies", "yes");
                    case 7 -> Map.of("poison", "ü");
                    default -> transaction % 3 == 0 ? Map.of("fails", "yes") : Map.of("n", "1");
                };
    }

    private static void assertTamperingIsNoticed(Service run) {
        UUID event = run.sql()
                .sql("SELECT o.event_id FROM events.outbox_published o WHERE o.aggregate_seq = 2 LIMIT 1")
                .query(UUID.class)
                .single();
        run.book("worker-1", event, "booker");
        assertThat(run.check(SETTINGS).violations()).extracting(Violation::rule).containsExactly("booked-once");

        run.sql()
                .sql("ALTER TABLE events.outbox_published DISABLE TRIGGER USER")
                .update();
        run.sql()
                .sql("DELETE FROM events.outbox WHERE event_id = ?")
                .param(event)
                .update();
        assertThat(run.check(SETTINGS).violations())
                .extracting(Violation::rule)
                .containsExactly(
                        "nothing-lost",
                        "nothing-unexpected",
                        "business-rows-match",
                        "sequences-gapless",
                        "booked-once");
    }
}
