package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AttemptStatusTest {

    @Test
    void transitionsAreTheseAndNoOthers() {
        Map<AttemptStatus, Set<AttemptStatus>> predecessors = Stream.of(AttemptStatus.values())
                .collect(Collectors.toMap((status) -> status, AttemptStatus::predecessors));

        assertThat(predecessors)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        AttemptStatus.CREATED, Set.of(AttemptStatus.REQUESTED),
                        AttemptStatus.REQUESTED, Set.of(AttemptStatus.CREATED),
                        AttemptStatus.ACKED,
                                Set.of(
                                        AttemptStatus.CREATED,
                                        AttemptStatus.REQUESTED,
                                        AttemptStatus.REJECTED,
                                        AttemptStatus.THROTTLED,
                                        AttemptStatus.UNKNOWN),
                        AttemptStatus.REJECTED, Set.of(AttemptStatus.REQUESTED, AttemptStatus.UNKNOWN),
                        AttemptStatus.THROTTLED, Set.of(AttemptStatus.REQUESTED),
                        AttemptStatus.UNKNOWN, Set.of(AttemptStatus.REQUESTED)));
    }

    @Test
    void whatIsConcludedIsNeverRequestedAgain() {
        assertThat(Stream.of(AttemptStatus.values()).filter(AttemptStatus::isConcluded))
                .containsExactly(
                        AttemptStatus.ACKED, AttemptStatus.REJECTED, AttemptStatus.THROTTLED, AttemptStatus.UNKNOWN)
                .noneMatch((status) -> AttemptStatus.REQUESTED.predecessors().contains(status));
    }
}
