package dev.outbox.chaos.run;

import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.nemesis.FaultType;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Result of a run between two services.
 *
 * @param seed the seed
 * @param producer what the checker found in the producing service, with the topic as its handler
 * @param receiver what the checker found in the receiving service
 * @param faults how often each fault happened
 * @param records records in the topic
 * @param duplicates records whose event the topic had already
 * @param drained how long the backlog of both services took to drain when the faults were over
 * @param deaths how many processes ended unexpectedly
 */
public record KafkaReport(
        long seed,
        Report producer,
        Report receiver,
        Map<FaultType, Integer> faults,
        long records,
        long duplicates,
        Duration drained,
        int deaths) {

    /** Copies the map. */
    public KafkaReport {
        faults = new EnumMap<>(faults);
    }

    /** Returns whether neither service broke a rule, and every process ended when told. */
    public boolean isClean() {
        return producer.isClean() && receiver.isClean() && deaths == 0;
    }

    /** Returns how often a fault happened. */
    public int count(FaultType type) {
        return faults.getOrDefault(type, 0);
    }

    @Override
    public String toString() {
        return """
                Kafka run with seed %d
                producing service
                %sreceiving service
                %sfaults          %s
                records         %d, %d of them duplicates
                drained         %d ms
                unexpected ends %d
                """.formatted(seed, producer, receiver, faults, records, duplicates, drained.toMillis(), deaths);
    }
}
