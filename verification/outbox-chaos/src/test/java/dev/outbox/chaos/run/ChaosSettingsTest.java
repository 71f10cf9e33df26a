package dev.outbox.chaos.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.nemesis.FaultType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChaosSettingsTest {

    /** Only the Kafka run has brokers. */
    private static final Set<FaultType> OF_BROKERS = EnumSet.of(
            FaultType.BROKER_KILL,
            FaultType.BROKERS_REFUSE,
            FaultType.BROKERS_BLACK_HOLE,
            FaultType.BROKERS_SLOW,
            FaultType.PARTITION_LEADERLESS,
            FaultType.LEADER_MOVE);

    /** Too slow or too similar to others for every build. */
    private static final Set<FaultType> OF_LONG_RUNS = EnumSet.of(
            FaultType.RESTART,
            FaultType.BACKEND_CRASH,
            FaultType.FAILOVER_SYNC,
            FaultType.RESTORE,
            FaultType.RESTORE_COLD,
            FaultType.CONNECTIONS_REFUSED,
            FaultType.DELAY);

    @Test
    void longRunHasEveryFault() {
        Set<FaultType> all = EnumSet.complementOf(EnumSet.copyOf(OF_BROKERS));

        assertThat(ChaosSettings.ofMinutes(1, 1).faults()).containsOnlyKeys(all.toArray(FaultType[]::new));
    }

    @Test
    void shortRunHasEveryFaultButSomeOfTheLongRun() {
        FaultType[] expected = Arrays.stream(FaultType.values())
                .filter((type) -> !OF_BROKERS.contains(type) && !OF_LONG_RUNS.contains(type))
                .toArray(FaultType[]::new);

        assertThat(ChaosSettings.brief(1).faults()).containsOnlyKeys(expected);
    }
}
