package dev.outbox.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.ThreadShortage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;

class BackgroundQueriesTest {

    private static final Duration MAX_AGE = Duration.ofSeconds(2);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(1700);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final BackgroundQueries queries = new BackgroundQueries("queries", 1, nanos::get);

    @AfterEach
    void close() {
        answer.countDown();
        queries.close();
    }

    @Test
    void resultIsKeptForItsTime() {
        BackgroundQueries.Cached<Integer> cached = queries.cached(begun::incrementAndGet, MAX_AGE);
        assertThat(cached.get()).isEqualTo(1);

        nanos.addAndGet(MAX_AGE.toNanos() - 1);
        assertThat(cached.get()).isEqualTo(1);

        nanos.addAndGet(1);
        assertThat(cached.get()).isEqualTo(2);
    }

    @Test
    void failureIsKeptLikeResult() {
        BackgroundQueries.Cached<Integer> cached = queries.cached(
                () -> {
                    throw new DataAccessResourceFailureException("refused " + begun.incrementAndGet());
                },
                MAX_AGE);
        assertThatThrownBy(cached::get).hasMessage("refused 1");
        assertThatThrownBy(cached::get).hasMessage("refused 1");

        nanos.addAndGet(MAX_AGE.toNanos());
        assertThatThrownBy(cached::get).hasMessage("refused 2");
    }

    @Test
    void hangingQueryHoldsNoCaller() {
        BackgroundQueries.Cached<Integer> cached = queries.cached(this::hang, MAX_AGE);
        List<CompletableFuture<Integer>> callers =
                Stream.generate(() -> InBackground.run(cached::get)).limit(40).toList();
        assertThat(callers)
                .allSatisfy((caller) -> assertThatThrownBy(() -> InBackground.result(caller))
                        .isInstanceOf(QueryTimeoutException.class));

        nanos.addAndGet(LONGEST_WAIT.toNanos());
        long asked = System.nanoTime();
        assertThatThrownBy(cached::get).isInstanceOf(QueryTimeoutException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(LONGEST_WAIT);

        answer.countDown();
        await().ignoreExceptionsInstanceOf(QueryTimeoutException.class).until(() -> cached.get() == 1);
    }

    @Test
    void expiredQueryIsFollowedByAnother() {
        BackgroundQueries.Cached<Integer> cached = queries.cached(this::hang, MAX_AGE);
        cached.refresh();
        await().until(() -> begun.get() == 1);

        cached.expire();
        cached.refresh();
        assertThat(begun).hasValue(1);

        answer.countDown();
        assertThat(cached.get()).isEqualTo(2);
    }

    @Test
    void lastResultStandsInForOneThatIsMissing() {
        CountDownLatch failing = new CountDownLatch(1);
        BackgroundQueries.Cached<Integer> cached = queries.cached(
                () -> {
                    if (begun.incrementAndGet() == 1) {
                        return 1;
                    }
                    if (begun.get() == 3) {
                        nanos.addAndGet(2 * LONGEST_WAIT.toNanos());
                        return 3;
                    }
                    failing.await();
                    throw new DataAccessResourceFailureException("refused");
                },
                MAX_AGE);
        assertThat(cached.latest().trouble()).isNull();

        nanos.addAndGet(MAX_AGE.toNanos());
        BackgroundQueries.Known<Integer> late = cached.latest();
        assertThat(late.value()).isEqualTo(1);
        assertThat(late.age()).isEqualTo(MAX_AGE);
        assertThat(late.trouble()).isInstanceOf(QueryTimeoutException.class);

        failing.countDown();
        await().untilAsserted(() -> assertThat(cached.latest().trouble()).hasMessage("refused"));
        assertThat(cached.latest().value()).isEqualTo(1);

        nanos.addAndGet(MAX_AGE.toNanos());
        await().until(() -> cached.latest().value() == 3);
        assertThat(cached.latest().trouble()).hasMessageContaining("within 1700 ms");
    }

    @Test
    void queriesOfSeveralCallersRunAtTheSameTime() {
        CyclicBarrier both = new CyclicBarrier(2);
        try (BackgroundQueries two = new BackgroundQueries("two", 2, nanos::get)) {
            CompletableFuture<Integer> other = InBackground.run(() -> two.ask(both::await));

            assertThat(two.ask(both::await) + InBackground.result(other)).isEqualTo(1);
        }
    }

    @Test
    void queryOfOneCallerIsCancelledAfterItsTime() {
        assertThatThrownBy(() -> queries.ask(this::hang))
                .isInstanceOf(QueryTimeoutException.class)
                .hasMessage("the database did not answer within 1700 ms");

        InBackground.awaitLatch(interrupted);
        assertThat(queries.ask(() -> "free")).isEqualTo("free");
    }

    @Test
    void queryBehindTooManyIsRefused() {
        try (BackgroundQueries impatient =
                new BackgroundQueries("impatient", 1, () -> nanos.addAndGet(LONGEST_WAIT.toNanos()))) {
            impatient.cached(this::hang, MAX_AGE).refresh();
            await().until(() -> begun.get() == 1);
            for (int query = 0; query < 100; query++) {
                assertThatThrownBy(() -> impatient.ask(this::hang)).hasMessageContaining("within 1700 ms");
            }
            assertThatThrownBy(() -> impatient.ask(this::hang))
                    .isInstanceOf(QueryTimeoutException.class)
                    .hasCauseInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    void closeInterruptsQueriesAndRefusesOthers() {
        BackgroundQueries.Cached<Integer> cached = queries.cached(this::hang, MAX_AGE);
        cached.refresh();
        await().until(() -> begun.get() == 1);

        queries.close();

        InBackground.awaitLatch(interrupted);
        cached.expire();
        assertThatThrownBy(cached::get)
                .isInstanceOf(QueryTimeoutException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shortageOfThreadsFailsOneQuery() {
        try (ThreadShortage shortage = ThreadShortage.of(Thread.currentThread().getName(), 0, 1)) {
            assertThatThrownBy(() -> queries.ask(() -> "never"))
                    .isInstanceOf(QueryTimeoutException.class)
                    .hasCauseInstanceOf(OutOfMemoryError.class);
            assertThat(shortage.isOver()).isTrue();
        }
        assertThat(queries.ask(() -> "again")).isEqualTo("again");
    }

    private int hang() throws InterruptedException {
        int query = begun.incrementAndGet();
        try {
            answer.await();
        } catch (InterruptedException ex) {
            interrupted.countDown();
            throw ex;
        }
        return query;
    }
}
