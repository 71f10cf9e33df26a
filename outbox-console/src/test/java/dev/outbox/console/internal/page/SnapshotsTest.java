package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOverview;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;

/** How often the state is read, and what the charts show of it. */
class SnapshotsTest {

    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final OutboxInspector inspector = mock();
    private final Clock clock = mock();
    private final Snapshots snapshots = new Snapshots(inspector, mock(OutboxOperations.class), clock);

    @BeforeEach
    void start() {
        at(Duration.ZERO, "default");
    }

    @Test
    void manyOperatorsCauseOneQueryInTwoSeconds() {
        for (int i = 0; i < 10; i++) {
            snapshots.latest();
            snapshots.samples();
        }
        verify(inspector, times(1)).overview();

        at(Duration.ofSeconds(2), "default");
        snapshots.latest();
        verify(inspector, times(2)).overview();
    }

    @Test
    void changeOfOperatorIsVisibleAtOnce() {
        snapshots.latest();
        snapshots.expire();
        snapshots.latest();

        verify(inspector, times(2)).overview();
    }

    @Test
    void samplesAreKeptForTenMinutes() {
        snapshots.latest();
        at(Duration.ofMinutes(9), "default");
        snapshots.latest();
        at(Duration.ofMinutes(11), "default");

        assertThat(snapshots.samples().at())
                .containsExactly(
                        START.plus(Duration.ofMinutes(9)).toEpochMilli(),
                        START.plus(Duration.ofMinutes(11)).toEpochMilli());
    }

    @Test
    void streamThatComesOrGoesLeavesGapInItsLine() {
        snapshots.latest();
        at(Duration.ofSeconds(2), "default", "mail");
        snapshots.latest();
        at(Duration.ofSeconds(4), "mail");

        Samples samples = snapshots.samples();

        assertThat(samples.throughput())
                .containsEntry("default", Arrays.asList(3.0, 3.0, null))
                .containsEntry("mail", Arrays.asList(null, 3.0, 3.0));
        assertThat(samples.lag()).containsEntry("mail", Arrays.asList(null, 70.0, 70.0));
    }

    @Test
    @Tag("full")
    void figuresAreRecordedWhileNobodyLooks() {
        try (snapshots) {
            snapshots.start();

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> verify(inspector, atLeastOnce()).overview());
        }
    }

    @Test
    void linesOfIdleStreamsAreLeftOutAndColorsStay() {
        at(Duration.ZERO, "b");
        snapshots.latest();
        at(Duration.ofSeconds(2), "a", "b", "idle");

        Samples samples = snapshots.samples();

        assertThat(samples.colors()).containsExactly("b", "a", "idle");
        assertThat(samples.throughput()).containsOnlyKeys("a", "b");
        assertThat(samples.lag()).containsOnlyKeys("a", "b");
    }

    @Test
    void changesOfOperatorsAddNoSamples() {
        for (int i = 0; i < 10; i++) {
            snapshots.latest();
            snapshots.expire();
        }

        assertThat(snapshots.samples().at()).hasSize(1);
    }

    @Test
    void failureIsRememberedForTwoSeconds() {
        when(inspector.overview()).thenThrow(new DataAccessResourceFailureException("refused"));
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(snapshots::latest).isInstanceOf(DataAccessResourceFailureException.class);
        }
        verify(inspector, times(1)).overview();

        when(clock.instant()).thenReturn(START.plusSeconds(2));
        assertThatThrownBy(snapshots::latest).isInstanceOf(DataAccessResourceFailureException.class);
        verify(inspector, times(2)).overview();
    }

    @Test
    @Timeout(120)
    void databaseThatDoesNotAnswerHoldsNoRequest() throws Exception {
        CountDownLatch answer = block();
        ExecutorService requests = Executors.newFixedThreadPool(40);
        try {
            long begun = System.nanoTime();
            List<Future<Snapshots.Snapshot>> waiting =
                    requests.invokeAll(Collections.nCopies(120, (Callable<Snapshots.Snapshot>) snapshots::latest));
            snapshots.expire();

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(15));
            assertThat(waiting)
                    .allSatisfy((request) ->
                            assertThatThrownBy(request::get).hasCauseInstanceOf(QueryTimeoutException.class));
            verify(inspector, times(1)).overview();
        } finally {
            answer.countDown();
            requests.shutdownNow();
        }
        assertThat(awaitLatest().overview().streams()).hasSize(1);
        verify(inspector, times(2)).overview();
    }

    @Test
    @Timeout(120)
    void queryThatBeganBeforeChangeIsNotEnough() throws Exception {
        CountDownLatch answer = block();
        assertThatThrownBy(snapshots::latest).isInstanceOf(QueryTimeoutException.class);
        snapshots.expire();
        answer.countDown();

        awaitLatest();

        verify(inspector, times(2)).overview();
    }

    /** A query on a busy machine may take longer than a request waits. */
    private Snapshots.Snapshot awaitLatest() {
        return await().ignoreExceptionsInstanceOf(QueryTimeoutException.class)
                .until(snapshots::latest, Objects::nonNull);
    }

    private CountDownLatch block() {
        OutboxOverview overview = inspector.overview();
        clearInvocations(inspector);
        CountDownLatch answer = new CountDownLatch(1);
        when(inspector.overview()).thenAnswer((call) -> {
            answer.await();
            return overview;
        });
        return answer;
    }

    private void at(Duration offset, String... streams) {
        when(clock.instant()).thenReturn(START.plus(offset));
        List<OutboxOverview.Stream> states = Arrays.stream(streams)
                .map((name) -> new OutboxOverview.Stream(
                        name,
                        false,
                        name.equals("idle")
                                ? new OutboxOverview.Backlog(
                                        0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, true)
                                : new OutboxOverview.Backlog(
                                        1,
                                        0,
                                        1,
                                        0,
                                        0,
                                        Duration.ofSeconds(5),
                                        Duration.ofSeconds(70),
                                        0,
                                        Duration.ZERO,
                                        true),
                        name.equals("idle") ? 0.0 : 3.0,
                        List.of()))
                .toList();
        when(inspector.overview())
                .thenReturn(new OutboxOverview(START.plus(offset), states, List.of(), List.of(), List.of()));
    }
}
