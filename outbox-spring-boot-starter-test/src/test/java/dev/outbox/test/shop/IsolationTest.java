package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.listener.OutboxListener.Result;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.test.DrainResult;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.support.TransactionOperations;

/** A thousand tests on one context, in random order. Each leaves something behind, and finds nothing of the others. */
@OutboxTest(properties = "outbox.handlers.isolated.circuit.failures=1")
@Import(IsolationTest.Isolated.class)
@Tag("full")
class IsolationTest {

    private static final long SEED = Long.getLong("isolation.seed", System.nanoTime());
    private static final int TESTS = 1_000;

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private OutboxOperations operations;

    @Autowired
    private Replays replays;

    @Autowired
    private OutboxTester outbox;

    static class Isolated {

        @OutboxHandler(id = "isolated", deduplicate = true)
        void handle(Changed changed) {}
    }

    record Changed(int number) {}

    /** What a test leaves behind. */
    enum Leftover {
        PENDING_EVENT,
        COUNTED_EVENT,
        OWN_SEQUENCE,
        OPEN_CIRCUIT,
        DEAD_LETTER,
        PAUSED_HANDLER,
        PAUSED_STREAM,
        UNFINISHED_REPLAY,
        ADVANCED_TIME
    }

    static Stream<Leftover> leftovers() {
        System.out.println("IsolationTest: -Disolation.seed=" + SEED);
        List<Leftover> all = IntStream.range(0, TESTS)
                .mapToObj((i) -> Leftover.values()[i % Leftover.values().length])
                .collect(Collectors.toList());
        Collections.shuffle(all, new Random(SEED));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("leftovers")
    void findsNothingOfTheTestsBefore(Leftover leftover) {
        assertThat(outbox).publishedNothing();
        assertThat(replays.list()).isEmpty();
        EventEnvelope first = leftover == Leftover.OWN_SEQUENCE
                ? publish(OutboxEvent.of("thing", "1", new Changed(1)).withSequence(1))
                : publish(OutboxEvent.of("thing", "1", new Changed(1)));
        assertThat(first.sequence()).isOne();
        assertThat(outbox.drain().attempts()).containsExactly(attempt(Result.SUCCESS));

        leave(leftover);
    }

    private void leave(Leftover leftover) {
        switch (leftover) {
            case PENDING_EVENT -> publishNext();
            case COUNTED_EVENT, OWN_SEQUENCE -> assertThat(outbox).isDrained();
            case OPEN_CIRCUIT -> {
                fail();
                assertThat(outbox).published(Changed.class).isRetrying();
            }
            case DEAD_LETTER -> {
                fail();
                fail();
                fail();
                assertThat(outbox).published(Changed.class).isDead().afterAttempts(3);
            }
            case PAUSED_HANDLER -> operations.pauseHandler("isolated", "test", "left behind");
            case PAUSED_STREAM -> operations.pauseStream("default", "test", "left behind");
            case UNFINISHED_REPLAY -> replays.start(ReplayRequest.of("isolated"), "test", "left behind");
            case ADVANCED_TIME -> outbox.advance(Duration.ofDays(1));
        }
    }

    /** Publishes an event, or lets time pass for one that failed before. */
    private void fail() {
        outbox.failNext("isolated", new IllegalStateException("left behind"));
        if (outbox.events().size() == 1) {
            publishNext();
        }
        assertThat(outbox.advance(Duration.ofHours(1)).drain().attempts()).hasSize(1);
    }

    private void publishNext() {
        publish(OutboxEvent.of("thing", "1", new Changed(2)));
    }

    private EventEnvelope publish(OutboxEvent event) {
        return transactions.execute((status) -> publisher.publish(event));
    }

    private static DrainResult.Attempt attempt(Result result) {
        return new DrainResult.Attempt("isolated", "Changed", result);
    }
}
