package dev.outbox.chaos.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.nemesis.FaultType.Lane;
import dev.outbox.chaos.nemesis.Schedule.Planned;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private static final Duration TIME = Duration.ofMinutes(1);
    private static final Map<FaultType, Integer> COUNTS =
            Map.of(FaultType.KILL, 7, FaultType.SUSPEND, 2, FaultType.DATABASE_CRASH, 3);

    @Test
    void seedDecidesEverything() {
        assertThat(Schedule.of(1, COUNTS, TIME)).isEqualTo(Schedule.of(1, Map.copyOf(COUNTS), TIME));
        assertThat(Schedule.of(1, COUNTS, TIME)).isNotEqualTo(Schedule.of(2, COUNTS, TIME));
    }

    @Test
    void everyFaultHappensAsOftenAsToldAndInTime() {
        Schedule schedule = Schedule.of(3, COUNTS, TIME);

        COUNTS.forEach((type, count) -> assertThat(schedule.faults())
                .filteredOn((fault) -> fault.type() == type)
                .hasSize(count));
        assertThat(schedule.faults()).hasSize(12).allMatch((fault) -> fault.at().compareTo(TIME) < 0);
    }

    @Test
    void faultsThatNeedQuietComeLast() {
        Schedule schedule = Schedule.of(5, Map.of(FaultType.KILL, 3, FaultType.KILL_ALONE, 2), TIME);

        assertThat(schedule.of(Lane.ALONE))
                .hasSize(2)
                .allMatch((fault) -> fault.at().equals(TIME));
    }

    @Test
    void faultsOfALaneAreInOrder() {
        List<Planned> lane = Schedule.of(4, COUNTS, TIME).of(Lane.PROCESSES);

        assertThat(lane).hasSize(9).isSortedAccordingTo(Comparator.comparing(Planned::at));
    }
}
