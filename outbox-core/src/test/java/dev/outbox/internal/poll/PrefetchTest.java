package dev.outbox.internal.poll;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** While a full batch of many aggregates is handled quickly, the next one is claimed. */
class PrefetchTest {

    private static final int BATCH = 20;
    private static final int BATCHES = 50;
    private static final int EVENTS = BATCH * BATCHES;
    private static final int AGGREGATES = 5 * BATCH;
    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void nextBatchIsClaimedWhileTheLastOneIsHandled() {
        AtomicInteger seenAhead = new AtomicInteger();
        Recorded handler = handling((attempt) -> {
            if (attempt.envelope().id() % BATCH == 0 && isClaimedAhead(attempt.envelope())) {
                seenAhead.incrementAndGet();
            }
            return null;
        });

        outbox.awaitPublished(EVENTS);
        assertThat(seenAhead).hasPositiveValue();
        assertInOrder(handler);
        assertThat(outbox.claims()).isZero();
    }

    /** Another process could have it. */
    @Test
    void nothingIsClaimedAheadWhereHandlersTakeLong() {
        AtomicBoolean begins = new AtomicBoolean();
        List<Integer> seenAhead = new CopyOnWriteArrayList<>();
        outbox.onClaim((events) -> begins.set(true));
        Recorded handler = handling((attempt) -> {
            if (begins.getAndSet(false)) {
                // The sleep is no wait: a handler that takes longer than 50 ms is the subject.
                outbox.value(Integer.class, "SELECT 1 FROM pg_sleep(0.06)");
                seenAhead.add(claimedBehind(attempt.envelope()));
            }
            return null;
        });

        outbox.awaitPublished(EVENTS);
        assertThat(seenAhead).hasSizeGreaterThanOrEqualTo(BATCHES).containsOnly(0);
        assertInOrder(handler);
    }

    @Test
    void aggregatesOfFailedEventsStayInOrder() {
        outbox.retry(TestOutbox.AT_ONCE);
        Recorded handler = handling((attempt) ->
                attempt.number() == 1 && attempt.envelope().id() % 97 == 0 ? new IllegalStateException("once") : null);

        outbox.awaitPublished(EVENTS);
        assertInOrder(handler);
    }

    @Test
    void closingSetsFreeWhatWasClaimedAhead() {
        CountDownLatch ahead = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Recorded handler = handling((attempt) -> {
            if (ahead.getCount() > 0 && attempt.envelope().id() % BATCH == 0 && isClaimedAhead(attempt.envelope())) {
                ahead.countDown();
                awaitLatch(release);
            }
            return null;
        });
        awaitLatch(ahead);
        outbox.closeBeside(release);

        assertThat(handler.handled()).hasSizeLessThan(EVENTS);
        assertThat(outbox.claims()).isZero();
        assertThat(outbox.published()).isEqualTo(handler.handled().size());
        outbox.start();
        outbox.awaitPublished(EVENTS);
        assertInOrder(handler);
    }

    @Test
    void whatCouldNotBeClaimedAheadIsClaimedLater() {
        outbox.update("CREATE SEQUENCE asked");
        outbox.update("""
                        CREATE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF nextval('asked') % 25 = 7 THEN
                                RAISE EXCEPTION 'broken';
                            END IF;
                            RETURN NEW;
                        END
                        $$
                        """);
        outbox.update(
                "CREATE TRIGGER broken BEFORE INSERT ON events.outbox_claim FOR EACH ROW EXECUTE FUNCTION refuse_some()");
        Recorded handler = handling((attempt) -> null);

        outbox.awaitPublished(EVENTS);
        assertInOrder(handler);
        assertThat(outbox.claims()).isZero();
    }

    private Recorded handling(Function<Recorded.Attempt, Exception> failure) {
        Recorded handler = Recorded.failing(failure);
        outbox.handler("any", "*", handler).poller(NEVER, BATCH, Duration.ofMinutes(1));
        outbox.runtime();
        new BulkRows(outbox).events(EVENTS, "(n % " + AGGREGATES + ")::text", "n / " + AGGREGATES + " + 1");
        outbox.start();
        return handler;
    }

    /** In the last event of a batch. Gives up early enough for the batch to count as a quick one. */
    private boolean isClaimedAhead(EventEnvelope event) {
        long begun = System.nanoTime();
        boolean seen = false;
        while (!seen && System.nanoTime() - begun < 25_000_000) {
            seen = claimedBehind(event) > 0;
        }
        return seen;
    }

    /** How many claims there are of which every event comes after this one. */
    private int claimedBehind(EventEnvelope event) {
        return outbox.value(
                Integer.class, "SELECT count(*) FROM events.outbox_claim WHERE event_ids[1] > ?", event.id());
    }

    private static void assertInOrder(Recorded handler) {
        List<Long> all = LongStream.rangeClosed(1, EVENTS / AGGREGATES).boxed().toList();
        assertThat(handler.sequences().values())
                .hasSize(AGGREGATES)
                .allSatisfy((sequence) -> assertThat(sequence).isEqualTo(all));
    }
}
