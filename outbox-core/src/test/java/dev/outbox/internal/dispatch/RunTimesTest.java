package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.registry.Activity.RunTime;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunTimesTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final RunTimes times = new RunTimes();

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000, -1_000_000})
    void callsOfTheLastMinuteAreAddedUp(long start) {
        call("stock", "orders", start, 4);
        call("stock", "orders", start + 30, 2);
        call("stock", "default", start + 30, 1);

        assertThat(times.at((start + 31) * SECOND))
                .containsExactlyInAnyOrder(
                        new RunTime("stock", "orders", 2, Duration.ofSeconds(6)),
                        new RunTime("stock", "default", 1, Duration.ofSeconds(1)));
        assertThat(times.at((start + 70) * SECOND))
                .containsExactlyInAnyOrder(
                        new RunTime("stock", "orders", 1, Duration.ofSeconds(2)),
                        new RunTime("stock", "default", 1, Duration.ofSeconds(1)));
        assertThat(times.at((start + 100) * SECOND)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {59, 61, 119, 600})
    void callAfterAPauseFindsNoOldOnes(long pause) {
        call("stock", "orders", 5, 4);
        call("stock", "orders", 10 + pause, 2);

        assertThat(times.at((12 + pause) * SECOND))
                .containsExactly(new RunTime("stock", "orders", 1, Duration.ofSeconds(2)));
    }

    private void call(String handlerId, String stream, long begun, long took) {
        times.ended(handlerId, stream, begun * SECOND, (begun + took) * SECOND);
    }
}
