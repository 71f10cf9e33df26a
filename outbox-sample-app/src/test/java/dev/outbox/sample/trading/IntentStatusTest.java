package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class IntentStatusTest {

    @Test
    void transitionsAreTheseAndNoOthers() {
        Map<IntentStatus, Set<IntentStatus>> predecessors = Stream.of(IntentStatus.values())
                .collect(Collectors.toMap((status) -> status, IntentStatus::predecessors));

        assertThat(predecessors)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        IntentStatus.OPEN, Set.of(IntentStatus.HALTED),
                        IntentStatus.ACCEPTED,
                                Set.of(
                                        IntentStatus.OPEN,
                                        IntentStatus.REJECTED,
                                        IntentStatus.EXHAUSTED,
                                        IntentStatus.HALTED),
                        IntentStatus.PARTIALLY_FILLED, Set.of(IntentStatus.ACCEPTED),
                        IntentStatus.FILLED, Set.of(IntentStatus.ACCEPTED, IntentStatus.PARTIALLY_FILLED),
                        IntentStatus.REJECTED, Set.of(IntentStatus.OPEN),
                        IntentStatus.EXHAUSTED, Set.of(IntentStatus.OPEN),
                        IntentStatus.HALTED, Set.of(IntentStatus.OPEN)));
    }
}
