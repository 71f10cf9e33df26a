package dev.outbox.chaos.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.nemesis.FaultType;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Kills, suspends and cuts off everything, and finds no violation. A failing seed replays. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGSTOP")
@Tag("full")
class ChaosTest {

    private static final long SEED = Long.getLong("chaos.seed", 20261122);

    private static final Set<FaultType> CRASHES = EnumSet.of(FaultType.DATABASE_CRASH, FaultType.BACKEND_CRASH);
    private static final Set<FaultType> FAILOVERS = EnumSet.of(FaultType.FAILOVER_ASYNC, FaultType.FAILOVER_SYNC);
    private static final Set<FaultType> NETWORK = EnumSet.of(
            FaultType.CONNECTIONS_RESET,
            FaultType.CONNECTIONS_REFUSED,
            FaultType.BLACK_HOLE,
            FaultType.CONNECTIONS_FROZEN,
            FaultType.DELAY,
            FaultType.COMMIT_CUT,
            FaultType.BACKENDS_TERMINATED);

    /** A build may run on a busy machine: what it must find are violations. */
    private static final int PATIENCE = 3;

    @Test
    @Tag("fleet")
    @Timeout(600)
    @Guarantee(
            value = "G3",
            sentence =
                    "Order holds, with scheduled events, under random faults of processes, PostgreSQL, network and operators.")
    void keepsItsPromisesWhileEverythingFails() throws Exception {
        ChaosReport report =
                run(ChaosSettings.brief(SEED), PATIENCE, "mvn -Pfull verify -pl :outbox-chaos -am -Dtest=ChaosTest");

        assertThat(report.committed()).isGreaterThanOrEqualTo(10_000);
        assertThat(report.count(EnumSet.of(FaultType.KILL))).isGreaterThanOrEqualTo(5);
        assertThat(report.count(EnumSet.of(FaultType.SUSPEND))).isGreaterThanOrEqualTo(2);
        assertThat(report.count(CRASHES)).isGreaterThanOrEqualTo(1);
        assertThat(report.count(FAILOVERS)).isGreaterThanOrEqualTo(1);
        assertThat(report.count(NETWORK)).isGreaterThanOrEqualTo(3);
    }

    @Test
    @Tag("chaos")
    void keepsItsPromisesForMinutes() throws Exception {
        int minutes = Integer.getInteger("chaos.minutes", 10);
        ChaosReport report = run(
                ChaosSettings.ofMinutes(SEED, minutes),
                1,
                "mvn -Pchaos verify -pl :outbox-chaos -am -Dtest=ChaosTest -Dchaos.minutes=" + minutes);

        assertThat(report.committed()).isGreaterThanOrEqualTo(10_000L * minutes);
        assertThat(report.count(EnumSet.of(FaultType.KILL))).isGreaterThanOrEqualTo(6 * minutes);
        assertThat(report.count(EnumSet.of(FaultType.SUSPEND))).isGreaterThanOrEqualTo(2 * minutes);
        assertThat(report.count(CRASHES)).isGreaterThanOrEqualTo(minutes);
        assertThat(report.count(FAILOVERS)).isGreaterThanOrEqualTo(3 * minutes / 10);
        assertThat(report.count(NETWORK)).isGreaterThanOrEqualTo(4 * minutes);
    }

    private static ChaosReport run(ChaosSettings settings, int times, String replay) throws Exception {
        Path directory = RunDirectory.create("chaos", settings.seed());
        try {
            ChaosReport report = new ChaosRun(settings, directory).run();
            System.out.println(report);
            assertThat(report.history().isClean()).as("no violation").isTrue();
            assertThat(report.deaths()).as("processes that ended by themselves").isZero();
            assertThat(report.brokenBounds(times))
                    .as("times beyond %d times their bounds", times)
                    .isEmpty();
            return report;
        } catch (Exception | AssertionError e) {
            System.out.println("To replay the seed: " + replay + " -Dchaos.seed=" + settings.seed());
            throw e;
        }
    }
}
