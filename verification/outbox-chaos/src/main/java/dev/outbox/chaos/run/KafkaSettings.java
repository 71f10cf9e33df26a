package dev.outbox.chaos.run;

import static dev.outbox.chaos.nemesis.FaultType.BROKERS_BLACK_HOLE;
import static dev.outbox.chaos.nemesis.FaultType.BROKERS_REFUSE;
import static dev.outbox.chaos.nemesis.FaultType.BROKERS_SLOW;
import static dev.outbox.chaos.nemesis.FaultType.BROKER_KILL;
import static dev.outbox.chaos.nemesis.FaultType.DATABASE_CRASH;
import static dev.outbox.chaos.nemesis.FaultType.KILL;
import static dev.outbox.chaos.nemesis.FaultType.LEADER_MOVE;
import static dev.outbox.chaos.nemesis.FaultType.PARTITION_LEADERLESS;
import static dev.outbox.chaos.nemesis.FaultType.RESTART;
import static dev.outbox.chaos.nemesis.FaultType.SUSPEND;
import static java.util.Map.entry;

import dev.outbox.chaos.nemesis.FaultType;
import java.time.Duration;
import java.util.Map;

/**
 * What a run between two services does.
 *
 * @param seed decides the schedule of the faults and the traffic
 * @param size number of processes
 * @param time how long there are faults
 * @param producerFaults how often each fault happens to the producing service, or to the brokers
 * @param receiverFaults how often each fault happens to the receiving service
 * @param losses how often the topic is created again, and how often retention overtakes the inbox
 * @param events how many events are committed at least
 * @param rate the transactions of each publisher a second, of five events on average
 */
public record KafkaSettings(
        long seed,
        Size size,
        Duration time,
        Map<FaultType, Integer> producerFaults,
        Map<FaultType, Integer> receiverFaults,
        int losses,
        long events,
        long rate) {

    /** Number of processes. */
    public record Size(int brokers, int publishers, int forwarders, int receivers) {}

    /** Copies the maps. */
    public KafkaSettings {
        producerFaults = Map.copyOf(producerFaults);
        receiverFaults = Map.copyOf(receiverFaults);
    }

    /** The short run of the build. */
    public static KafkaSettings brief(long seed) {
        return new KafkaSettings(
                seed,
                new Size(1, 1, 1, 2),
                Duration.ofSeconds(8),
                Map.of(BROKER_KILL, 1),
                Map.of(KILL, 1),
                1,
                3_000,
                80);
    }

    /** A run of some minutes with every fault, on three brokers. */
    public static KafkaSettings ofMinutes(long seed, int minutes) {
        return new KafkaSettings(
                seed,
                new Size(3, 2, 3, 3),
                Duration.ofMinutes(minutes),
                Map.ofEntries(
                        entry(KILL, 3 * minutes),
                        entry(SUSPEND, minutes),
                        entry(RESTART, minutes),
                        entry(BROKER_KILL, 2 * minutes),
                        entry(BROKERS_REFUSE, minutes),
                        entry(BROKERS_BLACK_HOLE, minutes),
                        entry(BROKERS_SLOW, minutes),
                        entry(PARTITION_LEADERLESS, minutes),
                        entry(LEADER_MOVE, 2 * minutes)),
                Map.ofEntries(
                        entry(KILL, 3 * minutes),
                        entry(SUSPEND, minutes),
                        entry(RESTART, minutes),
                        entry(DATABASE_CRASH, minutes)),
                minutes,
                25_000L * minutes,
                80);
    }
}
