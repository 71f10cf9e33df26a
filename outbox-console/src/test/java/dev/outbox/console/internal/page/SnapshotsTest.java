package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.outbox.operations.Count;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOverview;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;

/** How often the state is read, and what the charts show of it. */
class SnapshotsTest {

    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final OutboxInspector inspector = mock();
    private final Clock clock = mock();
    private final AtomicLong nanos = new AtomicLong();
    private final Snapshots snapshots = new Snapshots(inspector, mock(OutboxOperations.class), clock, nanos::get);

    @BeforeEach
    void start() {
        at(Duration.ZERO, "default");
    }

    @Test
    void manyOperatorsCauseOneQueryInTwoSeconds() {
        for (int i = 0; i < 10; i++) {
            snapshots.latest();
        }
        verify(inspector, times(1)).overview();

        at(Duration.ofSeconds(2), "default");
        snapshots.latest();
        verify(inspector, times(2)).overview();
    }

    @Test
    void changeOfOperatorIsVisibleAtOnceAndAddsNoSample() {
        snapshots.latest();
        snapshots.expire();

        assertThat(snapshots.latest().snapshot().samples().at()).hasSize(1);
        verify(inspector, times(2)).overview();
    }

    @Test
    void earlierStateStandsInForOneThatIsMissing() {
        assertThat(snapshots.latest().asOf()).isNull();
        at(Duration.ofSeconds(3), "default");
        when(inspector.failures()).thenThrow(new DataAccessResourceFailureException("refused"));

        assertThat(snapshots.latest().snapshot().at()).isEqualTo(START);
        assertThat(snapshots.latest().asOf()).isEqualTo(START);
    }

    @Test
    void stateOfSlowDatabaseIsDated() {
        when(inspector.failures()).thenAnswer((call) -> {
            nanos.addAndGet(Duration.ofSeconds(3).toNanos());
            return List.of();
        });

        await().ignoreExceptionsInstanceOf(QueryTimeoutException.class)
                .untilAsserted(() -> assertThat(snapshots.latest().asOf()).isEqualTo(START));
    }

    @Test
    void samplesAreKeptForTenMinutes() {
        snapshots.latest();
        at(Duration.ofMinutes(9), "default");
        snapshots.latest();
        at(Duration.ofMinutes(11), "default");

        assertThat(snapshots.latest().snapshot().samples().at())
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

        Samples samples = snapshots.latest().snapshot().samples();

        assertThat(samples.throughput())
                .containsEntry("default", Arrays.asList(3.0, 3.0, null))
                .containsEntry("mail", Arrays.asList(null, 3.0, 3.0));
        assertThat(samples.lag()).containsEntry("mail", Arrays.asList(null, 70.0, 70.0));
    }

    @Test
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

        Samples samples = snapshots.latest().snapshot().samples();

        assertThat(samples.colors()).containsExactly("b", "a", "idle");
        assertThat(samples.throughput()).containsOnlyKeys("a", "b");
        assertThat(samples.lag()).containsOnlyKeys("a", "b");
    }

    private void at(Duration offset, String... streams) {
        when(clock.instant()).thenReturn(START.plus(offset));
        nanos.set(offset.toNanos());
        List<OutboxOverview.Stream> states = Arrays.stream(streams)
                .map((name) -> new OutboxOverview.Stream(
                        name,
                        false,
                        null,
                        name.equals("idle")
                                ? new OutboxOverview.Backlog(
                                        Count.NONE,
                                        Count.NONE,
                                        Count.NONE,
                                        Count.NONE,
                                        Count.NONE,
                                        Duration.ZERO,
                                        Duration.ZERO,
                                        Count.NONE,
                                        Duration.ZERO)
                                : new OutboxOverview.Backlog(
                                        new Count(1, true),
                                        Count.NONE,
                                        new Count(1, true),
                                        Count.NONE,
                                        Count.NONE,
                                        Duration.ofSeconds(5),
                                        Duration.ofSeconds(70),
                                        Count.NONE,
                                        Duration.ZERO),
                        name.equals("idle") ? 0.0 : 3.0,
                        List.of()))
                .toList();
        when(inspector.overview())
                .thenReturn(new OutboxOverview(START.plus(offset), states, List.of(), List.of(), List.of()));
    }
}
