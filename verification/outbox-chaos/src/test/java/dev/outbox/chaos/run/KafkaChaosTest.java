package dev.outbox.chaos.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.chaos.nemesis.FaultType;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Kills brokers and processes between two services, and finds every event in order on both sides. A failing seed replays. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGSTOP")
@Tag("full")
class KafkaChaosTest {

    private static final long SEED = Long.getLong("chaos.seed", 20261122);

    @Test
    @Tag("fleet")
    @Timeout(600)
    void deliversEveryEventInOrderThroughCrashes() throws Exception {
        KafkaReport report =
                run(KafkaSettings.brief(SEED), "mvn -Pfull verify -pl :outbox-chaos -am -Dtest=KafkaChaosTest");

        assertThat(report.producer().ok()).isGreaterThanOrEqualTo(3_000);
        assertThat(report.count(FaultType.BROKER_KILL)).isGreaterThanOrEqualTo(1);
        assertThat(report.count(FaultType.KILL)).isGreaterThanOrEqualTo(1);
    }

    @Test
    @Tag("chaos")
    void deliversEveryEventInOrderForMinutes() throws Exception {
        int minutes = Integer.getInteger("chaos.kafka.minutes", 4);
        KafkaReport report = run(
                KafkaSettings.ofMinutes(SEED, minutes),
                "mvn -Pchaos verify -pl :outbox-chaos -am -Dtest=KafkaChaosTest -Dchaos.kafka.minutes=" + minutes);

        assertThat(report.producer().ok()).isGreaterThanOrEqualTo(15_000L * minutes);
        assertThat(report.count(FaultType.BROKER_KILL)).isGreaterThanOrEqualTo(2 * minutes);
        assertThat(report.count(FaultType.LEADER_MOVE)).isGreaterThanOrEqualTo(2 * minutes);
        assertThat(report.count(FaultType.BROKERS_REFUSE)).isGreaterThanOrEqualTo(minutes);
        assertThat(report.count(FaultType.BROKERS_SLOW)).isGreaterThanOrEqualTo(minutes);
        assertThat(report.count(FaultType.PARTITION_LEADERLESS)).isGreaterThanOrEqualTo(minutes);
        assertThat(report.count(FaultType.KILL)).isGreaterThanOrEqualTo(6 * minutes);
    }

    private static KafkaReport run(KafkaSettings settings, String replay) throws Exception {
        Path directory = RunDirectory.create("kafka", settings.seed());
        try {
            KafkaReport report = new KafkaRun(settings, directory).run();
            System.out.println(report);
            assertThat(report.isClean()).as("no violation").isTrue();
            assertThat(report.producer().dead()).as("dead letters of the route").isZero();
            assertThat(report.producer().executions())
                    .as("events in the topic")
                    .isEqualTo(report.producer().ok() + report.producer().recovered());
            assertThat(report.receiver().givenUp())
                    .as("events that were given up")
                    .isGreaterThanOrEqualTo(settings.losses() * TopicLosses.REMOVED);
            assertThat(report.receiver().ok()
                            + report.receiver().recovered()
                            + report.receiver().givenUp())
                    .as("events that arrived")
                    .isEqualTo(report.producer().ok() + report.producer().recovered());
            return report;
        } catch (Exception | AssertionError e) {
            System.out.println("To replay the seed: " + replay + " -Dchaos.seed=" + settings.seed());
            throw e;
        }
    }
}
