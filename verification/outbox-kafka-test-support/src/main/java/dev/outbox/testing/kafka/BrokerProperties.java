package dev.outbox.testing.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;

/** Configuration of the brokers: durable as in production, and quick to start, to notice a death, and to recover. */
final class BrokerProperties {

    private static final String TEMPLATE = """
            process.roles=broker,controller
            node.id=%(id)
            controller.quorum.voters=%(voters)
            listeners=INTERNAL://localhost:%(internal),CLIENT://localhost:%(client),CONTROLLER://localhost:%(controller)
            advertised.listeners=INTERNAL://localhost:%(internal),CLIENT://%(address)
            listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:%(protocol),CONTROLLER:PLAINTEXT
            inter.broker.listener.name=INTERNAL
            controller.listener.names=CONTROLLER
            log.dirs=%(directory)/log

            # The registration of a killed broker blocks its restart for so long. A broker that stalls for longer is fenced.
            broker.session.timeout.ms=3000
            broker.heartbeat.interval.ms=200
            group.initial.rebalance.delay.ms=0
            group.min.session.timeout.ms=500
            auto.create.topics.enable=false
            auto.leader.rebalance.enable=false

            default.replication.factor=%(replicas)
            min.insync.replicas=%(insync)
            offsets.topic.replication.factor=%(replicas)
            offsets.topic.num.partitions=3
            transaction.state.log.replication.factor=%(replicas)
            transaction.state.log.min.isr=%(insync)
            transaction.state.log.num.partitions=3
            share.coordinator.state.topic.replication.factor=%(replicas)
            share.coordinator.state.topic.min.isr=%(insync)

            # Half of the heap by default.
            log.cleaner.dedupe.buffer.size=2097152
            """;

    /** A connection is checked again every second, so that it ends soon after its credential. */
    private static final String PASSWORDS = """

            sasl.enabled.mechanisms=SCRAM-SHA-256
            listener.name.client.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
            listener.name.client.scram-sha-256.connections.max.reauth.ms=1000
            """;

    private BrokerProperties() {}

    /** Writes the configuration of each broker of a cluster whose clients may need passwords. */
    static void write(List<KafkaBroker> brokers, boolean passwords) {
        String voters = brokers.stream()
                .map((broker) -> broker.id() + "@localhost:" + broker.ports().controller())
                .collect(Collectors.joining(","));
        int replicas = brokers.size();
        for (KafkaBroker broker : brokers) {
            String properties = (passwords ? TEMPLATE + PASSWORDS : TEMPLATE)
                    .replace("%(protocol)", passwords ? "SASL_PLAINTEXT" : "PLAINTEXT")
                    .replace("%(id)", "" + broker.id())
                    .replace("%(voters)", voters)
                    .replace("%(internal)", "" + broker.ports().internal())
                    .replace("%(client)", "" + broker.ports().client())
                    .replace("%(controller)", "" + broker.ports().controller())
                    .replace("%(address)", broker.address())
                    .replace("%(directory)", broker.directory().toString())
                    .replace("%(replicas)", "" + replicas)
                    .replace("%(insync)", "" + Math.max(1, replicas - 1));
            try {
                Files.writeString(broker.directory().resolve("server.properties"), properties);
            } catch (IOException e) {
                throw new UncheckedIOException("The configuration of a broker could not be written", e);
            }
        }
    }
}
