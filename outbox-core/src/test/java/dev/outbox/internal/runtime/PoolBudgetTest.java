package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.poll.PollerSettings;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PoolBudgetTest {

    @Test
    void poolThatIsLargeEnoughOrUnknownGivesWhatWasAskedFor() {
        assertThat(within(OptionalInt.of(11), 4, 4)).containsExactly(4, 4);
        assertThat(within(OptionalInt.empty(), 1000)).containsExactly(1000);
    }

    @Test
    void poolThatIsTooSmallIsDividedAmongTheStreams() {
        assertThat(within(OptionalInt.of(10), 1000)).containsExactly(8);
        assertThat(within(OptionalInt.of(10), 30, 10)).containsExactly(5, 1);
    }

    @Test
    void everyStreamHandlesOneAtLeast() {
        assertThat(within(OptionalInt.of(2), 5, 5, 1)).containsExactly(1, 1, 1);
    }

    private static Iterable<Integer> within(OptionalInt connections, int... concurrencies) {
        Map<String, PollerSettings> streams = new TreeMap<>();
        for (int concurrency : concurrencies) {
            streams.put("s" + streams.size(), PollerSettings.defaults().withConcurrency(concurrency));
        }
        return PoolBudget.within(connections, streams).values().stream()
                .map(PollerSettings::concurrency)
                .toList();
    }
}
