package dev.outbox.chaos.fleet;

import dev.outbox.chaos.process.ChaosProcess;
import java.util.List;

/**
 * What a fleet consists of.
 *
 * @param publishers number of processes that publish
 * @param workers number of processes that work
 * @param workerRole role of the workers, which is their name, too
 * @param options command-line options of every process
 */
public record FleetSettings(int publishers, int workers, String workerRole, List<String> options) {

    /** Copies the list. */
    public FleetSettings {
        options = List.copyOf(options);
    }

    /** Two publishers and three workers on one database. */
    public static FleetSettings standard() {
        return new FleetSettings(2, 3, "worker", List.of());
    }

    /** Service that publishes, and forwards its events to Kafka. */
    public static FleetSettings producer(int publishers, int forwarders, int aggregates, String bootstrapServers) {
        return new FleetSettings(
                publishers,
                forwarders,
                "forwarder",
                List.of(
                        Life.option(ChaosProcess.AGGREGATES, aggregates),
                        Life.option(ChaosProcess.SCHEDULES, false),
                        kafka(bootstrapServers)));
    }

    /** Service that receives the events of another one from Kafka. */
    public static FleetSettings receiver(int receivers, String bootstrapServers) {
        return new FleetSettings(0, receivers, "receiver", List.of(kafka(bootstrapServers)));
    }

    private static String kafka(String bootstrapServers) {
        return Life.option("spring.kafka.bootstrap-servers", bootstrapServers);
    }
}
